import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'console/dist');
const PAGE = join(DIST, 'index.html');
const ICON = join(ROOT, 'server/src/docs/assets/cloche.svg');
/** Of all that is loaded before the first screen: scripts and styles are compressed with brotli, the page and its icon count in full. */
const MAX_BYTES = 150_000;

describe('the files of the console', () => {
  it('are small before the form to sign in', async (t) => {
    await assertSmall(t, await findAssets(await readStartAssets()));
  });

  it('are small before the first screen of someone who is signed in', async (t) => {
    const page = (await readdir(join(DIST, 'assets'))).filter((name) =>
      /^designs-page-[^.]+\.(?:js|css)$/.test(name),
    );
    assert.equal(page.length, 2, 'the script and the styles of the page Designs');
    await assertSmall(t, await findAssets([...(await readStartAssets()), ...page]));
  });
});

async function assertSmall(t: TestContext, names: ReadonlySet<string>): Promise<void> {
  assert.ok(names.size > 1);
  const paths = [...names].map((name) => join(DIST, `assets/${name}.br`));
  const files = await Promise.all([...paths, PAGE, ICON].map((path) => stat(path)));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  t.diagnostic(`${total} bytes in ${files.length} files, of at most ${MAX_BYTES}`);
  assert.ok(total <= MAX_BYTES, `${total} bytes in ${files.length} files`);
}

/** The scripts and styles that the HTML names. */
async function readStartAssets(): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  assert.match(page, /<link rel="icon" href="\/docs\/assets\/cloche\.svg"/);
  return [...page.matchAll(/"\/console\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
}

/** Adds the static imports of scripts. */
async function findAssets(start: readonly string[]): Promise<ReadonlySet<string>> {
  const names = new Set(start);
  // The set grows while it is read.
  for (const name of names) {
    if (!name.endsWith('.js')) continue;
    const script = await readFile(join(DIST, 'assets', name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g))
      names.add(imported);
  }
  return names;
}
