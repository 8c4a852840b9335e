import { access, constants } from 'node:fs/promises';
import { unpackChromium } from './unpack-chromium.ts';

/** A browser that can be launched. */
export type BrowserExecutable = {
  name: string;
  /** Returns the path of the executable; unpacks it first if necessary. */
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

/** Finds browsers: the one at `path` if given, else that of npm first, then those of the system. */
export async function findBrowsers(path?: string): Promise<BrowserExecutable[]> {
  if (path !== undefined) return [{ name: path, resolvePath: async () => path }];
  const browsers: BrowserExecutable[] = [];
  const packageUrl = resolveChromiumPackage();
  if (packageUrl !== undefined) {
    browsers.push({ name: '@sparticuz/chromium', resolvePath: () => unpackChromium(packageUrl) });
  }
  for (const name of SYSTEM_PATHS) {
    if (await isExecutable(name)) browsers.push({ name, resolvePath: async () => name });
  }
  return browsers;
}

/** Returns the URL of the package; undefined if it is not installed or not for this platform. */
function resolveChromiumPackage(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return import.meta.resolve('@sparticuz/chromium');
  } catch {
    // The package is an optional dependency, and is not installed.
    return undefined;
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
