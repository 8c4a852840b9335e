import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * After the response, reads and discards the rest of the request body: clients that are still sending
 * it could not read the response otherwise. Closes the connection if the body does not end within
 * `timeoutMs`.
 */
export function drainBodyAfterResponse(
  request: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
): void {
  if (hasBody(request)) response.on('finish', () => drain(request, timeoutMs));
}

/** Says whether a request has a body, according to its headers. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function drain(body: IncomingMessage, timeoutMs: number): void {
  if (body.complete || body.readableEnded) return;
  body.unpipe();
  body.resume();
  const timer = setTimeout(() => body.destroy(), timeoutMs).unref();
  const stopWaiting = () => clearTimeout(timer);
  // Requests that tests inject end, but do not close.
  body.once('end', stopWaiting).once('close', stopWaiting);
}
