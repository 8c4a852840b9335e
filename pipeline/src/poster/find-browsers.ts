import { access, constants } from 'node:fs/promises';
import { unpackChromium } from './unpack-chromium.ts';

/** A browser that can be started. */
export type BrowserExecutable = {
  name: string;
  /** Where it is; unpacks it if need be. */
  resolvePath(): Promise<string>;
};

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/lib/chromium/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browsers there are, the best first: the one that is named, else npm's, then the system's. */
export async function findBrowsers(named?: string): Promise<BrowserExecutable[]> {
  if (named !== undefined) return [{ name: named, resolvePath: async () => named }];
  const found: BrowserExecutable[] = [];
  const packed = resolveChromiumPackage();
  if (packed !== undefined) {
    found.push({ name: '@sparticuz/chromium', resolvePath: () => unpackChromium(packed) });
  }
  for (const name of SYSTEM_PATHS) {
    if (await isExecutable(name)) found.push({ name, resolvePath: async () => name });
  }
  return found;
}

/** The address of the package's module; undefined where it is not installed, or of no use. */
function resolveChromiumPackage(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return import.meta.resolve('@sparticuz/chromium');
  } catch {
    // An optional dependency: it may be left out.
    return undefined;
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
