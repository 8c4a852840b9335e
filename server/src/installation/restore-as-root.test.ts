import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTestServer } from '../../testing/harness.ts';
import { createEmptyInstallation, runOn } from '../../testing/installations.ts';
import { uploadTestDesign } from '../../testing/requests.ts';
import { runClocheServer } from '../../testing/run-cloche-server.ts';
import { getDirectDatabaseSettings } from '../../testing/test-database.ts';

const NOBODY = 65534;

async function giveToNobody(folder: string): Promise<void> {
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))])
    await chown(join(folder, name), NOBODY, NOBODY);
}

/** A backup that root has made. */
async function createBackup(t: TestContext) {
  const service = await openTestServer(t);
  await uploadTestDesign(service, 'chair');
  const parent = await mkdtemp(join(tmpdir(), 'cloche-root-'));
  t.after(() => rm(parent, { recursive: true, force: true }));
  await chmod(parent, 0o755);
  await runOn(service, 'backup', join(parent, 'backup'));
  return join(parent, 'backup');
}

test('as root, restore becomes the owner of the data directory before it creates a file', async (t) => {
  if (process.geteuid?.() !== 0) return t.skip('not root');
  const folder = await createBackup(t);
  const target = await createEmptyInstallation(t);
  const restore = () => runClocheServer(['restore', folder], getDirectDatabaseSettings(target));
  await giveToNobody(target.dataDirectory);
  const unreadable = await restore();
  assert.match(unreadable.stderr, /^cloche: .* cannot be read \(EACCES\)\. A restore runs as/m);
  assert.equal(unreadable.status, 1);
  await giveToNobody(folder);
  const { status, stderr } = await restore();
  assert.equal(status, 0, stderr);
  const names = await readdir(target.dataDirectory);
  assert.ok(names.includes('lock.sqlite'));
  for (const name of names) {
    const { uid, mode } = await stat(join(target.dataDirectory, name));
    assert.equal(uid, NOBODY, name);
    if (name === 'lock.sqlite') assert.equal(mode & 0o077, 0);
  }
});
