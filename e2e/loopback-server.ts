import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Opens an HTTP server for this machine only, and returns its port. Ends with the test. */
export async function openLoopbackServer(
  t: TestContext,
  listener: RequestListener,
): Promise<number> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
