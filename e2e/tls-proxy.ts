import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';

/** A key and a certificate that nobody trusts, good for the length of a test. */
export type Certificate = { key: string; cert: string };

export async function makeCertificate(): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'cloche.test' }]);
  return { key, cert };
}

/**
 * Stands before a plain server as a proxy with a certificate does. Browsers send `Sec-Fetch-…` to
 * secure origins only, and the public ones all are.
 */
export async function openTlsProxy(t: TestContext, certificate: Certificate) {
  let target = 0;
  const server = createServer(certificate, (outside) => {
    const inside = connect(target, '127.0.0.1');
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    port,
    leadTo: (plainPort: number) => {
      target = plainPort;
    },
  };
}
