import { globSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

/** In a release, the source is JavaScript. */
const SOURCE_EXTENSION = extname(import.meta.filename);

/** Paths of the scripts of the worker, and of their directory. */
export type WorkerCode = { entry: string; preload: string; directory: string };

/**
 * Finds the code of the worker: what pipeline/build.ts has built, or the source, if it has changed since or was not built. That works, too, but
 * a worker starts later.
 *
 * @param source pipeline/src
 * @param others the directories with other code that is part of it
 */
export function findWorkerCode(source: string, ...others: readonly string[]): WorkerCode {
  const dist = join(source, '../dist');
  const checkedAt = statSync(join(dist, 'source-hash'), { throwIfNoEntry: false })?.mtimeMs;
  const isBuilt =
    checkedAt !== undefined &&
    [source, ...others].every((directory) => !hasNewerSource(directory, checkedAt));
  const [directory, extension] = isBuilt
    ? [join(dist, 'worker'), '.js']
    : [join(source, 'sandbox/worker'), SOURCE_EXTENSION];
  const toScript = (name: string) => join(directory, `${name}${extension}`);
  return { entry: toScript('main'), preload: toScript('preload'), directory };
}

function hasNewerSource(directory: string, time: number): boolean {
  return globSync(`**/*${SOURCE_EXTENSION}`, { cwd: directory })
    .filter((path) => !path.includes('.test.'))
    .some((path) => statSync(join(directory, path)).mtimeMs > time);
}
