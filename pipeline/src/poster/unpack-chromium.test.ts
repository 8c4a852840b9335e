import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { unpackChromium } from './unpack-chromium.ts';

/** Creates a package with the same structure, which unpacks a text file and counts its calls. */
async function createFakePackage(t: TestContext) {
  const directory = await openTemporaryDirectory(t);
  const callLog = join(directory, 'calls');
  await mkdir(join(directory, 'build'));
  await writeFile(join(directory, 'package.json'), '{"version": "1.2.3", "type": "module"}');
  const script = `
    import { appendFileSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    appendFileSync(${JSON.stringify(callLog)}, 'x');
    export default { executablePath: async () => writeFileSync(tmpdir() + '/chromium', 'complete') };`;
  await writeFile(join(directory, 'build/index.js'), script);
  await appendFile(callLog, '');
  return {
    packageUrl: pathToFileURL(join(directory, 'build/index.js')).href,
    baseDirectory: await openTemporaryDirectory(t),
    countCalls: async () => (await readFile(callLog, 'utf8')).length,
  };
}

describe('npm’s Chromium', () => {
  it('is unpacked once', async (t) => {
    const { packageUrl, baseDirectory, countCalls } = await createFakePackage(t);
    const path = await unpackChromium(packageUrl, baseDirectory);
    assert.equal(await readFile(path, 'utf8'), 'complete');
    assert.equal(await unpackChromium(packageUrl, baseDirectory), path);
    assert.equal(await countCalls(), 1);
  });

  it('is complete when several processes unpack it at once', async (t) => {
    const { packageUrl, baseDirectory } = await createFakePackage(t);
    const paths = await Promise.all([1, 2, 3].map(() => unpackChromium(packageUrl, baseDirectory)));
    assert.equal(new Set(paths).size, 1);
    assert.equal(await readFile(paths[0] as string, 'utf8'), 'complete');
    assert.equal((await readdir(baseDirectory)).length, 1, 'a draft remains');
  });

  it('is unpacked again when the executable was deleted', async (t) => {
    const { packageUrl, baseDirectory } = await createFakePackage(t);
    const path = await unpackChromium(packageUrl, baseDirectory);
    await writeFile(join(dirname(path), 'fonts'), '');
    await rm(path);
    assert.equal(
      await readFile(await unpackChromium(packageUrl, baseDirectory), 'utf8'),
      'complete',
    );
  });

  it('is not used from a directory that others may write to', async (t) => {
    const { packageUrl, baseDirectory } = await createFakePackage(t);
    const path = await unpackChromium(packageUrl, baseDirectory);
    await writeFile(path, 'planted');
    await chmod(dirname(path), 0o777);
    await assert.rejects(unpackChromium(packageUrl, baseDirectory), /others may write to it/);
  });

  it('leaves no files when it cannot be unpacked', async (t) => {
    const { packageUrl, baseDirectory } = await createFakePackage(t);
    await assert.rejects(unpackChromium(packageUrl.replace('index.js', 'none.js'), baseDirectory));
    assert.deepEqual(await readdir(baseDirectory), []);
  });
});
