/** A program that renders a poster of a page that is never ready. It runs until it is killed. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPosterRenderer } from '../src/poster/poster-renderer.ts';
import { openSandbox } from '../src/sandbox/sandbox.ts';
import { EMPTY_STATS, ENDLESS_PAGE, TEST_BROWSER } from './poster.ts';

const [profileDirectory = ''] = process.argv.slice(2);
// The browser may have another user.
await chmod(profileDirectory, 0o711);
const renderer = await openPosterRenderer({
  browser: TEST_BROWSER,
  viewer: ENDLESS_PAGE,
  profileDirectory,
  isolation: (await openSandbox()).isolation,
  log: console,
});
assert.ok(renderer);
const model = join(profileDirectory, 'model.glb');
await writeFile(model, '');
await renderer.render({ model, stats: EMPTY_STATS, signal: new AbortController().signal });
