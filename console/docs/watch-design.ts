import type { Design } from '@cloche/contract/design';
import type { ApiClient } from '../src/api/api-client.ts';
import { ApiError } from '../src/api/api-error.ts';

const RETRY_MS = 1500;

/**
 * Follows a design until it is ready or failed. Calls `onChange` with each state. After an
 * interruption of the connection it continues.
 *
 * @throws {ApiError} the design cannot be read
 */
export async function watchDesign(
  client: ApiClient,
  id: string,
  onChange: (design: Design) => void,
  signal: AbortSignal,
): Promise<Design> {
  for (;;) {
    const design = await followEvents(client, id, onChange, signal);
    if (design !== undefined && isSettled(design)) return design;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal.throwIfAborted();
  }
}

/** Says whether a design is neither queued nor processed: ready, failed or cancelled. */
function isSettled({ status }: Pick<Design, 'status'>): boolean {
  return status !== 'queued' && status !== 'processing';
}

/** Reads events until the stream ends. Returns the last state of the design. */
async function followEvents(
  client: ApiClient,
  id: string,
  onChange: (design: Design) => void,
  signal: AbortSignal,
): Promise<Design | undefined> {
  let design: Design | undefined;
  try {
    const options = { accept: 'text/event-stream', signal };
    const { body } = await client.request(`/v1/designs/${id}/events`, options);
    if (body === null) return undefined;
    for await (const { name, data } of readEvents(body)) {
      if (name === 'design') design = data as Design;
      if (name === 'progress' && design) {
        design = { ...design, progress: data as Design['progress'] };
      }
      if (design) onChange(design);
    }
  } catch (error) {
    signal.throwIfAborted();
    // Without a problem the connection was lost.
    if (error instanceof ApiError && error.problem !== undefined) throw error;
  }
  return design;
}

/** Parses server-sent events. EventSource does not tell why a request was refused. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ name: string; data: unknown }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      // The service sends each event as exactly these two lines.
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
