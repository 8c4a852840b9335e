import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';

/** A self-signed certificate and its key. */
export type Certificate = { key: string; cert: string };

/** Creates a self-signed certificate for a host. */
export async function makeCertificate(host = 'cloche.test'): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }]);
  return { key, cert };
}

/**
 * Opens a TLS proxy in front of a plain server. Browsers send `Sec-Fetch-*` headers only to secure
 * origins, and services on the Internet have secure origins. Without a certificate, forwards without TLS.
 */
export async function openTlsProxy(t: TestContext, certificate: Certificate | undefined) {
  let target = 0;
  const handle = (client: Socket) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  };
  const server =
    certificate === undefined ? createTcpServer(handle) : createServer(certificate, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    port,
    setTarget: (plainPort: number) => {
      target = plainPort;
    },
  };
}
