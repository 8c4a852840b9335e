import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** The memory of all processes of a browser in bytes, without pages of files; undefined except on Linux. */
export async function measureBrowserMemory(browser: Browser): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = await Promise.all(processInfo.map(({ id }) => readMemorySize(id)));
  return sizes.reduce((total, size) => total + size, 0);
}

/**
 * Anonymous and shared memory; of pages that several processes share, the part of this process. Pages of the
 * program are not counted: their part depends on the other browsers that run.
 */
async function readMemorySize(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const sizes = [...text.matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+) kB/gm)];
  return sizes.reduce((total, [, kilobytes]) => total + Number(kilobytes) * 1024, 0);
}
