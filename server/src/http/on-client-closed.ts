import type { ServerResponse } from 'node:http';

/** Calls `callback` once the connection of a response is closed, also if that happened before: its event is not repeated. */
export function onClientClosed(response: ServerResponse, callback: () => void): void {
  if (response.closed) callback();
  else response.once('close', callback);
}

/** Returns a signal that aborts when the connection of a response is closed. */
export function createClientSignal(response: ServerResponse, reason?: Error): AbortSignal {
  const controller = new AbortController();
  onClientClosed(response, () => controller.abort(reason));
  return controller.signal;
}
