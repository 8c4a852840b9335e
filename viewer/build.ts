/**
 * Builds viewer/dist: the template of the framed document, the hashes of its inline script and style for
 * the Content-Security-Policy, its texts, and the files that it loads.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composePage, toCspHash } from './build/compose-page.ts';
import { bundleBootScript, bundleScripts, minifyCss } from './build/scripts.ts';
import { reportSizes } from './build/size-report.ts';
import { en } from './src/i18n/en.ts';

const viewer = import.meta.dirname;
const dist = join(viewer, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, 'assets'), { recursive: true });

const template = await readFile(join(viewer, 'page/framed-document.html'), 'utf8');
const scripts = await bundleScripts(viewer, join(dist, 'assets'));
const boot = await bundleBootScript(viewer, scripts);
const style = await minifyCss(await readFile(join(viewer, 'page/framed-document.css'), 'utf8'));
const page = composePage({ template, style, boot, scripts });

await writeFile(join(dist, 'framed-document.html'), page);
const hashes = { scriptHashes: [toCspHash(boot)], styleHashes: [toCspHash(style)] };
await writeFile(join(dist, 'csp-hashes.json'), `${JSON.stringify(hashes, undefined, 2)}\n`);

await mkdir(join(dist, 'i18n'), { recursive: true });
await writeFile(join(dist, 'i18n/en.json'), `${JSON.stringify(en, undefined, 2)}\n`);

console.log(await reportSizes(dist, scripts));
