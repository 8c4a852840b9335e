import { printLine, printProgress } from './terminal.ts';
import type { ApiAccess } from './walkthrough.ts';

type ProcessedDesign = {
  status: string;
  report: { before: { bytes: number }; after: { bytes: number }; previewBytes?: number } | null;
  problem: { detail: string } | null;
};

/** Follows a design while it is processed, as any client may, until it is ready. */
export async function watchProgress(
  { origin, token }: ApiAccess,
  uri: string,
  signal: AbortSignal,
): Promise<void> {
  const start = performance.now();
  const id = uri.slice(uri.lastIndexOf(':') + 1);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${origin}/v1/designs/${id}/events`, { headers, signal });
  if (response.body === null) return;
  let design: ProcessedDesign | undefined;
  for await (const { name, data } of parseServerSentEvents(response.body)) {
    if (name === 'progress') printProgress(`  Preparing it: ${data.step}, ${data.percent} %`);
    if (name === 'design') design = data as unknown as ProcessedDesign;
  }
  printProgress('');
  if (design?.status === 'failed') printLine(`  It failed: ${design.problem?.detail}`);
  const { report } = design ?? {};
  if (!report) return;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const preview =
    report.previewBytes === undefined
      ? ''
      : `, after a preview of ${formatKilobytes(report.previewBytes)}`;
  printLine(
    `  It is ready after ${seconds} s: ${formatKilobytes(report.before.bytes)} came in, visitors load ${formatKilobytes(report.after.bytes)}${preview}.`,
  );
}

const formatKilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;

type ServerSentEvent = { name: string; data: Record<string, unknown> };

/** Server-sent events, as text comes. */
async function* parseServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
