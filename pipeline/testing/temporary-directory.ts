import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Creates a directory that is removed after the test. */
export async function openTemporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cloche-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
