import { createHash, X509Certificate } from 'node:crypto';
import { findBrowsers } from '@cloche/pipeline/poster/find-browsers';
import { type Browser, chromium } from 'playwright-core';
import type { Certificate } from './tls-proxy.ts';

/** WebGL 2 in software, and no access to any host but loopback. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  // Compositing without a GPU takes half the time of compositing with a software GPU.
  '--disable-gpu-compositing',
  '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.test. 127.0.0.1, MAP *.example 127.0.0.1, MAP localhost 127.0.0.1, MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** How long a test waits for the browser, unless it says otherwise. A slow machine needs time. */
const TIMEOUT_MS = 120_000;

/** The executable: `CLOCHE_CHROMIUM`, or the one from npm, or the system's. */
export async function findChromium(): Promise<string> {
  const [executable] = await findBrowsers(process.env.CLOCHE_CHROMIUM);
  if (executable === undefined) throw new Error('No Chromium was found.');
  return executable.resolvePath();
}

/** Returns the argument with which Chromium trusts a certificate. Only then, the cache and service workers work as usual. */
export function createTrustArgument({ cert }: Pick<Certificate, 'cert'>): string {
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  const hash = createHash('sha256').update(publicKey).digest('base64');
  return `--ignore-certificate-errors-spki-list=${hash}`;
}

/**
 * Starts Chromium with WebGL 2 in software and without access to any host but loopback.
 *
 * Host names under `.test` and `.example` resolve to this machine, so that a page and the service can
 * have different host names.
 *
 * @param moreArguments additional arguments of Chromium
 */
export async function openChromium(...moreArguments: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...CHROMIUM_ARGUMENTS, ...moreArguments],
  });
  browser.on('context', (context) => context.setDefaultTimeout(TIMEOUT_MS));
  return browser;
}
