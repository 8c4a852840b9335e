import type { Design } from '@cloche/contract/design';
import { printLine, printProgress } from './terminal.ts';
import type { ApiAccess } from './walkthrough.ts';

/** Prints the progress of a design until it is ready or failed. */
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
  let design: Design | undefined;
  for await (const { name, data } of parseServerSentEvents(response.body)) {
    if (name === 'progress')
      printProgress(`  Processing the design: ${data.step}, ${data.percent} %`);
    if (name === 'design') design = data as unknown as Design;
  }
  printProgress('');
  if (design?.status === 'failed') printLine(`  Processing failed: ${design.problem?.detail}`);
  const { report } = design ?? {};
  if (!report) return;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const preview =
    report.previewBytes === undefined
      ? ''
      : `, and first a preview of ${formatKilobytes(report.previewBytes)}`;
  printLine(
    `  The design is ready after ${seconds} s. The file has ${formatKilobytes(report.before.bytes)}; visitors load ${formatKilobytes(report.after.bytes)}${preview}.`,
  );
}

const formatKilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;

type ServerSentEvent = { name: string; data: Record<string, unknown> };

/** Parses server-sent events. Our own code, because each event has exactly two lines here. */
async function* parseServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
