import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { unpackChromium } from './unpack-chromium.ts';

/** A package of the same shape, which unpacks some text and keeps a tally. */
async function createFakePackage(t: TestContext) {
  const folder = await openTemporaryDirectory(t);
  const tally = join(folder, 'tally');
  await mkdir(join(folder, 'build'));
  await writeFile(join(folder, 'package.json'), '{"version": "1.2.3", "type": "module"}');
  const script = `
    import { appendFileSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    appendFileSync(${JSON.stringify(tally)}, 'x');
    export default { executablePath: async () => writeFileSync(tmpdir() + '/chromium', 'whole') };`;
  await writeFile(join(folder, 'build/index.js'), script);
  await appendFile(tally, '');
  return {
    address: pathToFileURL(join(folder, 'build/index.js')).href,
    base: await openTemporaryDirectory(t),
    tally: async () => (await readFile(tally, 'utf8')).length,
  };
}

describe('npm’s Chromium', () => {
  it('is unpacked once', async (t) => {
    const { address, base, tally } = await createFakePackage(t);
    const path = await unpackChromium(address, base);
    assert.equal(await readFile(path, 'utf8'), 'whole');
    assert.equal(await unpackChromium(address, base), path);
    assert.equal(await tally(), 1);
  });

  it('is whole, however many unpack it at once', async (t) => {
    const { address, base } = await createFakePackage(t);
    const paths = await Promise.all([1, 2, 3].map(() => unpackChromium(address, base)));
    assert.equal(new Set(paths).size, 1);
    assert.equal(await readFile(paths[0] as string, 'utf8'), 'whole');
    assert.equal((await readdir(base)).length, 1, 'no draft stays');
  });

  it('is unpacked again where a sweep took it', async (t) => {
    const { address, base } = await createFakePackage(t);
    const path = await unpackChromium(address, base);
    await writeFile(join(dirname(path), 'fonts'), '');
    await rm(path);
    assert.equal(await readFile(await unpackChromium(address, base), 'utf8'), 'whole');
  });

  it('is not taken from a folder that others may write', async (t) => {
    const { address, base } = await createFakePackage(t);
    const path = await unpackChromium(address, base);
    await writeFile(path, 'planted');
    await chmod(dirname(path), 0o777);
    await assert.rejects(unpackChromium(address, base), /belongs to somebody else/);
  });

  it('leaves nothing behind when it cannot be unpacked', async (t) => {
    const { address, base } = await createFakePackage(t);
    await assert.rejects(unpackChromium(address.replace('index.js', 'none.js'), base));
    assert.deepEqual(await readdir(base), []);
  });
});
