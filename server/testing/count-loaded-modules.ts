import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOURCES = join(import.meta.dirname, '../src');

/**
 * Loads a file of the service in a process of its own, and counts the CommonJS modules that it imports whose path matches.
 * `e2e/loaded-packages.test.ts` lists all packages that a start loads.
 */
export async function countLoadedModules(file: string, pattern: RegExp): Promise<number> {
  const script = `import { createRequire } from 'node:module';
    await import(${JSON.stringify(join(SOURCES, file))});
    const modules = Object.keys(createRequire(import.meta.url).cache);
    console.log(modules.filter((path) => ${pattern}.test(path)).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  return Number(stdout);
}
