import { Socket } from 'node:net';

/** How long the server may take to close a connection that was ended. */
const MAX_CLOSE_MS = 2_000;

/**
 * The sockets of a client or a pool. After its `end`, a connection is open until the server closes it, which a server that does not
 * respond never does: the connection would keep this process from ending.
 */
export class ConnectionSockets {
  readonly #open = new Set<Socket>();

  /** Creates the socket of a connection: for the option `stream` of a client or a pool. */
  readonly create = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  /** Waits until all connections are closed, which were ended before. Closes those that are still open after a time limit. */
  async waitUntilClosed(): Promise<void> {
    const timeout = setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, MAX_CLOSE_MS);
    const waitForClose = (socket: Socket) =>
      new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await Promise.all(Array.from(this.#open, waitForClose));
    clearTimeout(timeout);
  }
}
