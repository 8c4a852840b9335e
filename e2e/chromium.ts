import { findBrowsers } from '@cloche/pipeline/poster/find-browsers';
import { type Browser, chromium } from 'playwright-core';

/**
 * Starts a Chromium with WebGL 2 in software, cut off from every host but loopback.
 *
 * `CLOCHE_CHROMIUM` wins, then the one that comes from npm, then the system's.
 * Names under `.test` and `.example` lead to this machine, so that a page and the service can live
 * on host names that differ.
 */
export async function openChromium(): Promise<Browser> {
  const [program] = await findBrowsers(process.env.CLOCHE_CHROMIUM);
  if (program === undefined) throw new Error('There is no Chromium.');
  return chromium.launch({
    executablePath: await program.resolvePath(),
    args: [
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
      // A page is put together without a GPU in half the time that it takes with one in software.
      '--disable-gpu-compositing',
      '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.example 127.0.0.1, MAP localhost 127.0.0.1, MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}
