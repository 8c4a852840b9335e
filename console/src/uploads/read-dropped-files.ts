import type { ChosenFile } from './planned-upload.ts';

/** The files that were chosen with a button. Those of a folder have a path. */
export function listChosenFiles(files: FileList): ChosenFile[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Reads the files that were dropped, also those in folders. Must be called while the event is handled. */
export async function readDroppedFiles({ items, files }: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return listChosenFiles(files);
  const read = await Promise.all(entries.map(readEntry));
  return read.flat();
}

async function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const { promise, resolve, reject } = Promise.withResolvers<File>();
    (entry as FileSystemFileEntry).file(resolve, reject);
    return [{ path, file: await promise }];
  }
  const files: ChosenFile[] = [];
  for (const child of await readFolder(entry as FileSystemDirectoryEntry))
    files.push(...(await readEntry(child)));
  return files;
}

/** A browser returns the entries of a folder in several parts; an empty one is the end. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<FileSystemEntry[]>();
    reader.readEntries(resolve, reject);
    const part = await promise;
    if (part.length === 0) return entries;
    entries.push(...part);
  }
}
