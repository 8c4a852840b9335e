import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder of the test's own. */
export async function openTemporaryDirectory(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
