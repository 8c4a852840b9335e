/** Builds console/dist: the owner's page, its script and its style sheet. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** The path under which the server sends the files of `assets`. */
const PUBLIC_PATH = '/console/';
/** Browsers since 2024: the page uses light-dark() and Promise.withResolvers. */
const TARGET = ['chrome123', 'firefox121', 'safari17.5'];

const dist = join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, 'assets'), { recursive: true });
const { metafile } = await build({
  entryPoints: { console: 'src/main.ts', style: 'page/console.css' },
  absWorkingDir: import.meta.dirname,
  outdir: join(dist, 'assets'),
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: TARGET,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});
const files = Object.keys(metafile.outputs).map((path) => basename(path));
const template = await readFile(join(import.meta.dirname, 'page/index.html'), 'utf8');
const page = template.replace('[[script]]', findUrl('.js')).replace('[[style]]', findUrl('.css'));
await writeFile(join(dist, 'index.html'), page);

function findUrl(extension: string): string {
  const name = files.find((file) => file.endsWith(extension));
  if (name === undefined) throw new Error(`esbuild wrote no ${extension} file.`);
  return PUBLIC_PATH + name;
}
