import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A line to a service that can be cut, and led to another service: what proxies and trains do. */
export class CuttableLine {
  readonly origin: string;
  /** Where it leads; undefined: nowhere. */
  port: number | undefined;
  /** When so many bytes went to the service, everything is cut, once. */
  cutAfter = Number.POSITIVE_INFINITY;
  passed = 0;
  readonly #open = new Set<Socket>();

  private constructor(server: Server) {
    const { port } = server.address() as { port: number };
    this.origin = `http://cloche.test:${port}`;
    server.on('connection', (near: Socket) => this.#join(near));
  }

  static async open(t: TestContext): Promise<CuttableLine> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = new CuttableLine(server);
    t.after(() => {
      server.close();
      line.cut();
    });
    return line;
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #join(near: Socket): void {
    if (this.port === undefined) {
      near.destroy();
      return;
    }
    const far = connect(this.port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
    }
    far.pipe(near);
    near.on('data', (bytes) => {
      this.passed += bytes.length;
      if (this.passed < this.cutAfter) {
        if (!far.write(bytes)) near.pause();
        return;
      }
      this.cutAfter = Number.POSITIVE_INFINITY;
      // What came before the cut is let through.
      far.end(bytes.subarray(0, bytes.length / 2), () => this.cut());
    });
    far.on('drain', () => near.resume());
  }
}
