import { access, constants } from 'node:fs/promises';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
];

/**
 * Starts a Chromium with WebGL 2 in software, cut off from every host but loopback.
 *
 * `CLOCHE_CHROMIUM` wins, then the system's, then the one that comes from npm.
 * Names under `.test` and `.example` lead to this machine, so that a page and the service can live
 * on host names that differ.
 */
export async function openChromium(): Promise<Browser> {
  const found = await findChromium();
  return chromium.launch({
    executablePath: found.path,
    env: { ...process.env, ...found.env },
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
      '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.example 127.0.0.1, MAP localhost 127.0.0.1, MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

async function findChromium(): Promise<{ path: string; env?: NodeJS.ProcessEnv }> {
  const named = process.env.CLOCHE_CHROMIUM;
  if (named) return { path: named };
  for (const path of SYSTEM_BROWSERS) {
    if (await isExecutable(path)) return { path };
  }
  return { path: await sparticuz.executablePath() };
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
