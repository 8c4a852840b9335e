import type { ZipArchive, ZipEntry } from './zip-archive.ts';

/**
 * Reads an entry completely.
 *
 * @throws {Problem} design.unreadable: it is damaged, or its size is not the declared one
 */
export async function readEntry(archive: ZipArchive, entry: ZipEntry): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(entry.uncompressedBytes);
  let length = 0;
  for await (const block of archive.readBlocks(entry)) length += block.copy(bytes, length);
  return bytes;
}

/**
 * Reads the first bytes of an entry. The whole entry is decompressed to validate it.
 *
 * @throws {Problem} design.unreadable
 */
export async function readEntryHead(
  archive: ZipArchive,
  entry: ZipEntry,
  bytes: number,
): Promise<Buffer> {
  const head = Buffer.allocUnsafeSlow(Math.min(bytes, entry.uncompressedBytes));
  let length = 0;
  for await (const block of archive.readBlocks(entry)) {
    if (length < head.length) length += block.copy(head, length);
  }
  return head;
}
