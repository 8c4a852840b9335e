import type { Archive, Entry } from './archive.ts';

/** All of an entry, unpacked. Its size is what it says, or there is a Problem. */
export async function readAll(archive: Archive, entry: Entry): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(entry.bytes);
  let filled = 0;
  for await (const block of archive.blocks(entry)) filled += block.copy(bytes, filled);
  return bytes;
}

/** The first bytes of an entry, after all of it was unpacked and found to be what it says. */
export async function readHead(archive: Archive, entry: Entry, bytes: number): Promise<Buffer> {
  const head = Buffer.allocUnsafeSlow(Math.min(bytes, entry.bytes));
  let filled = 0;
  for await (const block of archive.blocks(entry)) {
    if (filled < head.length) filled += block.copy(head, filled);
  }
  return head;
}
