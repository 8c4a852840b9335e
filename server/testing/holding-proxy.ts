import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A request that the server has not received yet. */
export type HeldRequest = {
  /** Closes the connection of the client, as if it had failed after the request was sent. */
  disconnect(): void;
  /** Sends the request to the server, also if its client has gone. Returns the status of the response. */
  release(): Promise<number>;
};

/** A TCP proxy in front of an S3 server. */
export type HoldingProxy = {
  origin: string;
  /** Holds back the next request with a method. Requests must have no body. */
  holdNext(method: string): Promise<HeldRequest>;
};

/** Opens a proxy that forwards everything but the requests to be held back. Closed after the test. */
export async function openHoldingProxy(t: TestContext, endpoint: string): Promise<HoldingProxy> {
  const port = Number(new URL(endpoint).port);
  let next: { method: string; onRequest(request: HeldRequest): void } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    upstream.pipe(client);
    client.on('data', (bytes) => {
      if (next === undefined || !bytes.toString('latin1').startsWith(`${next.method} `)) {
        upstream.write(bytes);
        return;
      }
      next.onRequest({
        disconnect: () => client.destroy(),
        release: () => sendRequestBytes(port, bytes),
      });
      next = undefined;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const holdNext = (method: string) =>
    new Promise<HeldRequest>((onRequest) => {
      next = { method, onRequest };
    });
  return { origin, holdNext };
}

async function sendRequestBytes(port: number, bytes: Uint8Array): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(bytes);
    const [response] = await once(socket, 'data');
    return Number(response.toString('latin1').split(' ', 2)[1]);
  } finally {
    socket.destroy();
  }
}
