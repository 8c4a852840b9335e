import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** What happens to connections that receive events: nothing, they are closed, or nothing passes any more. */
type EventMode = 'open' | 'closed' | 'silent';

/** A TCP proxy in front of PostgreSQL, which can cut the connection that a node receives events over, and no other. */
export class DatabaseProxy {
  /** The URL of the database through this proxy. */
  readonly url: string;
  readonly #port: number;
  readonly #eventSockets = new Set<Socket>();
  #eventMode: EventMode = 'open';

  private constructor(server: Server, databaseUrl: string) {
    const url = new URL(databaseUrl);
    this.#port = Number(url.port);
    url.port = String((server.address() as { port: number }).port);
    this.url = url.href;
    server.on('connection', (client: Socket) => void this.#forward(client));
  }

  static async open(t: TestContext, databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new DatabaseProxy(server, databaseUrl);
    t.after(() => {
      server.close();
      proxy.setEventMode('closed');
    });
    return proxy;
  }

  setEventMode(mode: EventMode): void {
    this.#eventMode = mode;
    // A connection that was silent has lost bytes.
    if (mode !== 'silent') for (const socket of this.#eventSockets) socket.destroy();
  }

  async #forward(client: Socket): Promise<void> {
    client.on('error', () => {});
    // The first message contains the name of the application.
    const [first] = (await once(client, 'data')) as [Buffer];
    const isForEvents = first.includes('cloche events');
    if (isForEvents) {
      this.#eventSockets.add(client);
      client.on('close', () => this.#eventSockets.delete(client));
      if (this.#eventMode === 'closed') client.destroy();
    }
    const isSilent = () => isForEvents && this.#eventMode === 'silent';
    const upstream = connect(this.#port, '127.0.0.1');
    upstream.on('error', () => {});
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    const send = (target: Socket) => (bytes: Buffer) => {
      if (!isSilent()) target.write(bytes);
    };
    send(upstream)(first);
    client.on('data', send(upstream));
    upstream.on('data', send(client));
  }
}
