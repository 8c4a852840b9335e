import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

/** The first word of a request. */
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** What happens after the first bytes of a response: the connection is closed, or no more bytes arrive. */
export type Interruption = 'cut' | 'stall';

const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** A request, as the proxy has seen it. */
export type ProxiedRequest = { method: string; path: string; closed: boolean };

/**
 * Opens a server in front of an S3 server.
 *
 * @param onRequest called before a request is forwarded. Returns how long its response is held back, in milliseconds, how it is
 *   interrupted, or that the request is refused instead
 */
export async function openS3Proxy(
  t: TestContext,
  endpoint: string,
  onRequest: (request: ProxiedRequest) => number | Interruption | 'refuse',
): Promise<{ origin: string; requests: ProxiedRequest[] }> {
  const requests: ProxiedRequest[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(endpoint).port), '127.0.0.1');
    let effect: number | Interruption = 0;
    let request: ProxiedRequest | undefined;
    client.on('close', () => {
      if (request !== undefined) request.closed = true;
    });
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('data', (bytes) => {
      const [method = '', path = ''] = bytes.toString('latin1', 0, 2000).split(' ', 2);
      // The rest of a request begins with none of them.
      if (METHODS.includes(method)) {
        request = { method, path, closed: false };
        requests.push(request);
        const answer = onRequest(request);
        if (answer === 'refuse') {
          client.end(FORBIDDEN);
          return;
        }
        effect = answer;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (typeof effect === 'number' && effect > 0) {
        setTimeout(() => client.write(bytes), effect);
        return;
      }
      client.write(bytes, () => effect === 'cut' && client.destroy());
      if (typeof effect === 'string') upstream.pause();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
