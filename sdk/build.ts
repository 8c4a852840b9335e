/**
 * Builds sdk/dist: the scripts that the service sends (`assets`), and the modules of the npm package. Their types are
 * written by build-types.ts.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { LANGUAGES, viewerOptions } from '@cloche/contract/viewer-options';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** The oldest browsers that show designs, as in docs/embed.md. */
const TARGET = ['chrome111', 'edge111', 'firefox115', 'safari16.4', 'ios16.4'];
/** Limit of each script that a page loads, brotli. */
const LIMIT_BYTES = 4000;

/**
 * Reduces the table of options to the languages, the names and what `parseOptionAttribute` distinguishes. The descriptions are for the
 * documentation.
 */
const optionTablePlugin: Plugin = {
  name: 'option-table',
  setup({ onLoad }) {
    const table = Object.entries(viewerOptions).map(([name, { kind }]) => [
      name,
      { kind: kind === 'boolean' || kind === 'number' ? kind : 'text' },
    ]);
    // Split at run time: a list of texts has more bytes.
    const contents = `export const viewerOptions = ${JSON.stringify(Object.fromEntries(table))};
      export const LANGUAGES = '${LANGUAGES.join(' ')}'.split(' ');`;
    onLoad({ filter: /contract\/src\/viewer-options\.ts$/ }, () => ({ contents }));
  },
};

const dist = join(import.meta.dirname, 'dist');
const COMMON_OPTIONS = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  target: TARGET,
  conditions: ['cloche:source'],
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [optionTablePlugin],
} as const satisfies BuildOptions;

await rm(dist, { recursive: true, force: true });
await build({
  ...COMMON_OPTIONS,
  entryPoints: ['src/browser/script.ts'],
  outfile: join(dist, 'assets/cloche.js'),
  minify: true,
  format: 'iife',
});
await build({
  ...COMMON_OPTIONS,
  entryPoints: ['src/browser/module.ts'],
  outfile: join(dist, 'assets/cloche.mjs'),
  minify: true,
  format: 'esm',
});
await build({
  ...COMMON_OPTIONS,
  entryPoints: { index: 'src/index.ts', element: 'src/element.ts', react: 'src/react.ts' },
  outdir: join(dist, 'npm'),
  format: 'esm',
  // The entries share their code. Bundlers minify it themselves.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  external: ['react'],
});
const react = join(dist, 'npm/react.js');
// The component has state, so it is no server component.
await writeFile(react, `'use client';\n${await readFile(react, 'utf8')}`);

for (const name of ['cloche.js', 'cloche.mjs']) {
  const bytes = brotliCompressSync(await readFile(join(dist, 'assets', name))).byteLength;
  console.log(`sdk, bytes brotli: ${bytes}  ${name}`);
  if (bytes > LIMIT_BYTES)
    throw new Error(`${name} has ${bytes} bytes, above the limit of ${LIMIT_BYTES}.`);
}
