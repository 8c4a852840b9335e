import { existsSync, globSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

/** Paths of the scripts of the worker, and of their directory. */
export type WorkerCode = { entry: string; preload: string; directory: string };

/**
 * Finds the code of the worker: what pipeline/build.ts has built. In a checkout, it is the source if that has changed since or was not built: a
 * worker then starts later.
 *
 * @param source pipeline/src
 * @param others the directories with other code that is part of it
 * @param extension of the source: in a release, it is JavaScript, and does not change
 */
export function findWorkerCode(
  source: string,
  others: readonly string[],
  extension = extname(import.meta.filename),
): WorkerCode {
  const dist = join(source, '../dist');
  const built = toWorkerCode(join(dist, 'worker'), '.js');
  const isCurrent =
    existsSync(built.entry) &&
    (extension === '.js' || isUpToDate(join(dist, 'source-hash'), [source, ...others], extension));
  return isCurrent ? built : toWorkerCode(join(source, 'sandbox/worker'), extension);
}

function toWorkerCode(directory: string, extension: string): WorkerCode {
  const toScript = (name: string) => join(directory, `${name}${extension}`);
  return { entry: toScript('main'), preload: toScript('preload'), directory };
}

/** Whether no source is newer than a file. Tests are not part of the worker. */
function isUpToDate(file: string, directories: readonly string[], extension: string): boolean {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  return directories.every((cwd) =>
    globSync(`**/*${extension}`, { cwd })
      .filter((path) => !path.includes('.test.'))
      .every((path) => statSync(join(cwd, path)).mtimeMs <= time),
  );
}
