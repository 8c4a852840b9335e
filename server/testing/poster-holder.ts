/** Takes a picture that never comes, in the folder it is given, until it is killed. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPoster } from '../src/pipeline/poster.ts';
import { BROWSER, ENDLESS } from './poster.ts';

const [folder = ''] = process.argv.slice(2);
const poster = await openPoster({ browser: BROWSER, viewer: ENDLESS, folder, log: console });
assert.ok(poster);
const model = join(folder, 'model.glb');
await writeFile(model, '');
await poster.take({ model, stats: {} as never, signal: new AbortController().signal });
