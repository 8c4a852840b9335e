import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The latest response of each connection of a server. */
export class ConnectionResponses {
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  constructor(server: Server) {
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#responses.set(socket, response);
    });
  }

  /** Undefined before the first request. */
  find(socket: Socket): ServerResponse | undefined {
    return this.#responses.get(socket);
  }

  /** Whether a request was received on the connection whose response is not complete. */
  isBusy(socket: Socket): boolean {
    const response = this.find(socket);
    return response !== undefined && !response.closed;
  }
}
