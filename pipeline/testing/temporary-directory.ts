import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Creates a directory that is removed after the test. */
export async function openTemporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-'));
  removeAfterTest(t, directory);
  return directory;
}

/** Removes a directory when what uses it has ended: services and programs that write to it. */
export function removeAfterTest(t: TestContext, directory: string): void {
  // Hooks run in their order, so this one adds another: it runs after those that end what was started later.
  t.after(() => {
    // The children of a process that was killed may still write for a moment.
    t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 20 }));
  });
}
