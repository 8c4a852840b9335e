/** Builds console/dist: the owner's page, and the scripts of the documentation. */
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
  entryPoints: {
    console: 'src/main.ts',
    docs: 'src/docs/docs.ts',
    api: 'src/docs/api.ts',
    examples: 'src/docs/examples.ts',
    speed: 'src/docs/speed.ts',
    style: 'page/console.css',
  },
  absWorkingDir: import.meta.dirname,
  outdir: join(dist, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  bundle: true,
  minify: true,
  format: 'esm',
  target: TARGET,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});
/** The modules of the React example, and what it imports of them. In a project, a bundler resolves them. */
const REACT_MODULES = {
  '@cloche/sdk/react': 'ClocheViewer',
  react: 'createElement, StrictMode, useState',
  'react-dom/client': 'createRoot',
};
await build({
  stdin: {
    contents: Object.entries(REACT_MODULES)
      .map(([module, names]) => `export { ${names} } from '${module}';`)
      .join(''),
    resolveDir: join(import.meta.dirname, '../sdk'),
  },
  outfile: join(dist, 'react.mjs'),
  conditions: ['cloche:source'],
  define: { 'process.env.NODE_ENV': '"production"' },
  bundle: true,
  minify: true,
  format: 'esm',
  target: TARGET,
  // The license of React is in its comments.
  legalComments: 'inline',
  logLevel: 'warning',
});
const template = await readFile(join(import.meta.dirname, 'page/index.html'), 'utf8');
const page = template
  .replace('[[script]]', findUrl('src/main.ts'))
  .replace('[[style]]', findUrl('page/console.css'));
await writeFile(join(dist, 'index.html'), page);
const scripts = {
  docs: findUrl('src/docs/docs.ts'),
  api: findUrl('src/docs/api.ts'),
  examples: findUrl('src/docs/examples.ts'),
  speed: findUrl('src/docs/speed.ts'),
};
await writeFile(join(dist, 'scripts.json'), `${JSON.stringify(scripts, undefined, 2)}\n`);

/** Returns the URL of the file that was built from an entry point. */
function findUrl(entryPoint: string): string {
  const [path] =
    Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
  if (path === undefined) throw new Error(`esbuild wrote no file for ${entryPoint}.`);
  return PUBLIC_PATH + basename(path);
}
