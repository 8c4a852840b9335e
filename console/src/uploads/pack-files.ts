import { Zip, ZipPassThrough } from 'fflate';
import { getBaseName } from './find-references.ts';
import type { PlannedUpload } from './planned-upload.ts';

/**
 * Packs a model and the files it refers to into a zip, without compression: the service compresses models much better. The same files
 * give the same bytes, so that an upload can be continued.
 */
export async function packFiles(
  { files, name }: PlannedUpload,
  signal: AbortSignal,
): Promise<File> {
  const chunks: BlobPart[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else chunks.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
  });
  const root = findCommonFolder(files.map(({ path }) => path));
  for (const { path, file } of files) {
    const entry = new ZipPassThrough(path.slice(root.length));
    // A local time: the bytes must not depend on the current time.
    entry.mtime = new Date(1980, 0, 2);
    zip.add(entry);
    const reader = file.stream().getReader();
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      entry.push(value);
    }
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  if (failure !== undefined) throw failure;
  return new File(chunks, `${getBaseName(name).replace(/\.[^.]+$/, '')}.zip`, {
    type: 'application/zip',
    lastModified: Math.max(...files.map(({ file }) => file.lastModified)),
  });
}

/** The folder, with a slash at the end, that contains all paths. */
function findCommonFolder(paths: readonly string[]): string {
  const folders = paths.map((path) => path.split('/').slice(0, -1));
  const [first = []] = folders;
  let depth = 0;
  while (depth < first.length && folders.every((folder) => folder[depth] === first[depth]))
    depth += 1;
  return first
    .slice(0, depth)
    .map((part) => `${part}/`)
    .join('');
}
