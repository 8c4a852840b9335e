import type { ZipArchive, ZipEntry } from './zip-archive.ts';

/** All of an entry, unpacked. Its size is what it says, or there is a Problem. */
export async function readEntry(archive: ZipArchive, entry: ZipEntry): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(entry.uncompressedBytes);
  let filled = 0;
  for await (const block of archive.readBlocks(entry)) filled += block.copy(bytes, filled);
  return bytes;
}

/** The first bytes of an entry, after all of it was unpacked and found to be what it says. */
export async function readEntryHead(
  archive: ZipArchive,
  entry: ZipEntry,
  bytes: number,
): Promise<Buffer> {
  const head = Buffer.allocUnsafeSlow(Math.min(bytes, entry.uncompressedBytes));
  let filled = 0;
  for await (const block of archive.readBlocks(entry)) {
    if (filled < head.length) filled += block.copy(head, filled);
  }
  return head;
}
