import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * After the response, reads and drops what is left of the request body, so that the client gets to
 * read the response. Closes the connection when the body does not end within `timeoutMs`.
 */
export function drainBodyAfterResponse(
  request: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
): void {
  if (hasBody(request)) response.on('finish', () => drain(request, timeoutMs));
}

/** Whether the headers of a request announce a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function drain(body: IncomingMessage, timeoutMs: number): void {
  if (body.complete) return;
  body.unpipe();
  body.resume();
  const timer = setTimeout(() => body.destroy(), timeoutMs).unref();
  body.once('close', () => clearTimeout(timer));
}
