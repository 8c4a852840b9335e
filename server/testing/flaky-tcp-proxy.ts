import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A line to a service that can be cut, and led to another service: what proxies and trains do. */
export class FlakyTcpProxy {
  readonly origin: string;
  /** Where it leads; undefined: nowhere. */
  targetPort: number | undefined;
  /** When so many bytes went to the service, everything is cut, once. */
  cutAfterBytes = Number.POSITIVE_INFINITY;
  forwardedBytes = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    const { port } = server.address() as { port: number };
    this.origin = `http://cloche.test:${port}`;
    server.on('connection', (near: Socket) => this.#forward(near));
  }

  static async open(t: TestContext): Promise<FlakyTcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new FlakyTcpProxy(server);
    t.after(() => {
      server.close();
      line.destroyConnections();
    });
    return line;
  }

  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(near: Socket): void {
    if (this.targetPort === undefined) {
      near.destroy();
      return;
    }
    const far = connect(this.targetPort, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    far.pipe(near);
    near.on('data', (bytes) => {
      this.forwardedBytes += bytes.length;
      if (this.forwardedBytes < this.cutAfterBytes) {
        if (!far.write(bytes)) near.pause();
        return;
      }
      this.cutAfterBytes = Number.POSITIVE_INFINITY;
      // What came before the cut is let through.
      far.end(bytes.subarray(0, bytes.length / 2), () => this.destroyConnections());
    });
    far.on('drain', () => near.resume());
  }
}
