import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';

/** Opens a proxy for browsers that connects to this machine, whatever the host name. Returns its port. */
export async function openForwardProxy(t: TestContext): Promise<number> {
  const tunnels = new Set<Duplex>();
  const server = createServer((request, response) => {
    const { port, pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const path = pathname + search;
    const upstream = forward({ host: '127.0.0.1', port, method, path, headers });
    upstream.on('response', (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1]);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    tunnels.add(client);
    client.on('error', () => upstream.destroy());
    // A socket that nothing reads would not notice that the other side has ended, and would keep the process running.
    client.on('close', () => {
      tunnels.delete(client);
      upstream.destroy();
    });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const tunnel of tunnels) tunnel.destroy();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
