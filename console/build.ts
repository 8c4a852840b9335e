/** Builds console/dist: the console, and the scripts of the documentation. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { BROWSER_TARGETS } from './vite.config.ts';

/** The path under which the server sends the files of `assets`. */
const PUBLIC_PATH = '/console/assets/';

const dist = join(import.meta.dirname, 'dist');
await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, 'assets'), { recursive: true });
await buildWithVite({
  configFile: join(import.meta.dirname, 'vite.config.ts'),
  logLevel: 'warn',
});
const { metafile } = await build({
  entryPoints: {
    docs: 'docs/docs.ts',
    api: 'docs/api.ts',
    examples: 'docs/examples.ts',
    speed: 'docs/speed.ts',
  },
  absWorkingDir: import.meta.dirname,
  outdir: join(dist, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  bundle: true,
  minify: true,
  format: 'esm',
  target: BROWSER_TARGETS,
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
  target: BROWSER_TARGETS,
  // The license of React is in its comments.
  legalComments: 'inline',
  logLevel: 'warning',
});
const scripts = {
  docs: findUrl('docs/docs.ts'),
  api: findUrl('docs/api.ts'),
  examples: findUrl('docs/examples.ts'),
  speed: findUrl('docs/speed.ts'),
};
await writeFile(join(dist, 'scripts.json'), `${JSON.stringify(scripts, undefined, 2)}\n`);

/** Returns the URL of the file that was built from an entry point. */
function findUrl(entryPoint: string): string {
  const [path] =
    Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
  if (path === undefined) throw new Error(`esbuild wrote no file for ${entryPoint}.`);
  return PUBLIC_PATH + basename(path);
}
