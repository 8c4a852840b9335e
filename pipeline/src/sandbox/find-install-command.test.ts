import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { findInstallCommand } from './find-install-command.ts';

/** A directory with programs that exit with these codes. */
async function createPrograms(t: TestContext, programs: Record<string, number>) {
  const directory = await openTemporaryDirectory(t);
  for (const [name, exitCode] of Object.entries(programs))
    await writeFile(join(directory, name), `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
  return [directory];
}

const CASES: [programs: Record<string, number>, advice: string][] = [
  [{ unshare: 0, 'apt-get': 0 }, '; run: apt-get install bubblewrap'],
  [{ unshare: 0, dnf: 0 }, '; run: dnf install bubblewrap'],
  [{ unshare: 0, apk: 0 }, '; run: apk add bubblewrap'],
  [{ 'apt-get': 0 }, '; run: apt-get install bubblewrap'],
  [{}, '; install the package bubblewrap'],
  [{ unshare: 1, 'apt-get': 0 }, ', and this system does not allow the namespaces that it needs'],
];

it('the advice is the command of the distribution, unless bubblewrap would not work', async (t) => {
  for (const [programs, advice] of CASES)
    assert.equal(
      await findInstallCommand('bubblewrap', await createPrograms(t, programs)),
      advice,
      JSON.stringify(programs),
    );
});
