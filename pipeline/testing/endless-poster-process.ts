/** Takes a picture that never comes, in the folder it is given, until it is killed. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPosterRenderer } from '../src/poster/poster-renderer.ts';
import { ENDLESS_PAGE, TEST_BROWSER } from './poster.ts';

const [profileDirectory = ''] = process.argv.slice(2);
const poster = await openPosterRenderer({
  browser: TEST_BROWSER,
  viewer: ENDLESS_PAGE,
  profileDirectory,
  log: console,
});
assert.ok(poster);
const model = join(profileDirectory, 'model.glb');
await writeFile(model, '');
await poster.render({ model, stats: {} as never, signal: new AbortController().signal });
