import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../e2e/tls-proxy.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { writeHostPage } from './contenders.ts';
import { Network } from './network/network.ts';
import { BenchService } from './service.ts';

const SERVICE_HOST = 'cloche.test';

/** The service, and the server and network in front of it and of the pages of other viewers. */
export type BenchEnvironment = {
  network: Network;
  service: BenchService;
  /** The files that the server sends for the other hosts. */
  filesFolder: string;
  /** The page that gets the iframes. */
  pageUrl: string;
  /** That of the server. Browsers trust it. */
  certificate: string;
};

/** Opens an environment, until `resources` is disposed. */
export async function openBenchEnvironment(
  resources: AsyncDisposableStack,
): Promise<BenchEnvironment> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'cloche-bench-files-'));
  const { path: filesFolder } = resources.use(folder);
  await writeHostPage(filesFolder);
  const certificate = await makeCertificate();
  const servicePort = await findFreePort();
  const server = { certificate, serviceHost: SERVICE_HOST, servicePort, filesFolder };
  const network = resources.use(await Network.open(server));
  const pageOrigin = `https://shop.test:${network.plainPort}`;
  const publicUrl = `https://${SERVICE_HOST}:${network.sitePort}`;
  const service = resources.use(
    await BenchService.start({ port: servicePort, publicUrl, pageOrigin }),
  );
  const pageUrl = `${pageOrigin}/page.html`;
  return { network, service, filesFolder, pageUrl, certificate: certificate.cert };
}
