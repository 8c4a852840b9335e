/**
 * Writes the types of the npm package into sdk/dist/types. They contain those of the contract, which is not published. Needs
 * TypeScript, which an installation of the service does not have.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TYPES = join(import.meta.dirname, 'dist/types');
const CONTRACT_IMPORT = /'@cloche\/contract\/([\w-]+)'/g;
/** Imports in the output of TypeScript name the sources. */
const SOURCE_IMPORT = /((?:from |import\()(['"])\.[^'"]*)\.ts\2/g;

await rm(TYPES, { recursive: true, force: true });
await copyFile(join(ROOT, 'LICENSE'), join(import.meta.dirname, 'dist/npm/LICENSE'));
const tsc = spawn(
  process.execPath,
  [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...['--project', join(import.meta.dirname, 'tsconfig.types.json')],
    ...['--rootDir', ROOT, '--outDir', TYPES],
  ],
  { stdio: 'inherit' },
);
const [exitCode] = await once(tsc, 'exit');
if (exitCode !== 0)
  throw new Error('TypeScript could not write the types; see the messages above.');

for await (const path of glob('**/*.d.ts', { cwd: TYPES })) {
  const folder = relative(dirname(path), 'contract/src') || '.';
  const text = await readFile(join(TYPES, path), 'utf8');
  const packaged = text
    .replace(CONTRACT_IMPORT, (_, name) => `'${folder}/${name}.js'`)
    .replace(SOURCE_IMPORT, '$1.js$2');
  await writeFile(join(TYPES, path), packaged);
}
