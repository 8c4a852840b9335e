import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A TCP proxy in front of a server. It can drop connections and switch to another server. */
export class FlakyTcpProxy {
  readonly origin: string;
  /** Port of the server. Undefined: connections are refused. */
  targetPort: number | undefined;
  /** Drops all connections, once, after this many bytes were sent to the server. */
  cutAfterBytes = Number.POSITIVE_INFINITY;
  forwardedBytes = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    const { port } = server.address() as { port: number };
    this.origin = `http://cloche.test:${port}`;
    server.on('connection', (client: Socket) => this.#forward(client));
  }

  static async open(t: TestContext): Promise<FlakyTcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FlakyTcpProxy(server);
    t.after(() => {
      server.close();
      proxy.destroyConnections();
    });
    return proxy;
  }

  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    if (this.targetPort === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(this.targetPort, '127.0.0.1');
    this.#track(client, upstream);
    this.#track(upstream, client);
    upstream.pipe(client);
    client.on('data', (bytes) => {
      this.forwardedBytes += bytes.length;
      if (this.forwardedBytes < this.cutAfterBytes) {
        if (!upstream.write(bytes)) client.pause();
        return;
      }
      this.cutAfterBytes = Number.POSITIVE_INFINITY;
      client.pause();
      // The first half of the chunk is still delivered.
      upstream.end(bytes.subarray(0, bytes.length / 2), () => this.destroyConnections());
    });
    upstream.on('drain', () => client.resume());
  }

  /** Closes `peer` when `socket` closes. */
  #track(socket: Socket, peer: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      peer.destroy();
    });
  }
}
