import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Loads a module without waiting: the suite of a file gets only the tests that are declared until its function returns. */
const load = createRequire(import.meta.url);

/** A file that takes longer has failed. */
const FILE_TIMEOUT_MS = 900_000;

/** Test files that several processes share. */
type TestQueue = {
  urls: readonly string[];
  /** Contains a file for each URL that a process has taken, and one for each whose tests have ended. */
  claimDirectory: string;
};

/**
 * Runs test files in this process, each as a suite, until none is left. It takes the next file when the tests of the
 * one before have ended.
 */
export async function runTestQueue({ urls, claimDirectory }: TestQueue): Promise<void> {
  // Some commands of the service set the mask, also for the programs that later tests start.
  const umask = process.umask(0o022);
  for (const [index, url] of urls.entries()) {
    if (!claim(join(claimDirectory, String(index)))) continue;
    process.umask(umask);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    describe(url, { timeout: FILE_TIMEOUT_MS }, () => {
      // Also runs if the file cannot be loaded.
      after(() => resolve());
      load(fileURLToPath(url));
    });
    await ended;
    writeFileSync(join(claimDirectory, toEndFile(index)), '');
  }
}

/** The name of the file that says that the tests of a URL have ended, by its index. */
export function toEndFile(index: number): string {
  return `${index}.ended`;
}

/** Creates a file. Returns false if it exists: another process has created it. */
function claim(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
