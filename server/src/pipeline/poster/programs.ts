import { access, constants } from 'node:fs/promises';
import { unpackChromium } from './unpack.ts';

/** A browser that can be started. */
export type Program = {
  name: string;
  /** Where it is; unpacks it if need be. */
  path(): Promise<string>;
};

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/lib/chromium/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browsers there are, the best first: the one that is named, else npm's, then the system's. */
export async function findPrograms(named?: string): Promise<Program[]> {
  if (named !== undefined) return [{ name: named, path: async () => named }];
  const found: Program[] = [];
  const packed = packageAddress();
  if (packed !== undefined) {
    found.push({ name: '@sparticuz/chromium', path: () => unpackChromium(packed) });
  }
  for (const name of SYSTEM) {
    if (await isProgram(name)) found.push({ name, path: async () => name });
  }
  return found;
}

/** The address of the package's module; undefined where it is not installed, or of no use. */
function packageAddress(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return import.meta.resolve('@sparticuz/chromium');
  } catch {
    // An optional dependency: it may be left out.
    return undefined;
  }
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
