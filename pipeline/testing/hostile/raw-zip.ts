import { crc32, deflateRawSync } from 'node:zlib';

/** A file to pack. What is given beside name and bytes is written as it is, true or not. */
export type ZipEntryInput = {
  name: string | Buffer;
  bytes: Buffer | string;
  /** Stored as it is. */
  stored?: boolean;
  /** Instead of the deflated bytes. */
  compressed?: Buffer;
  method?: number;
  flags?: number;
  /** The size it claims. */
  claimedSizeBytes?: number;
  crc?: number;
  /** Unix mode, for links. */
  unixMode?: number;
  /** The name in its local header. */
  localHeaderName?: string;
};

/** What the end of the archive claims. */
export type ZipEndFields = { count?: number; offset?: number; disk?: number; comment?: string };

const LOCAL_HEADER_BYTES = 30;

/** Packs a zip archive by hand, so that each of its numbers can lie. */
export function makeRawZip(files: readonly ZipEntryInput[], end: ZipEndFields = {}): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { local, entry } = encodeZipEntry(file, offset);
    locals.push(local);
    central.push(entry);
    offset += local.length;
  }
  return assembleZip(locals, central, end);
}

/**
 * An archive whose first file has the others in its bytes, headers and all: the bytes count twice, and
 * with more of such layers a hundred thousand times.
 */
export function makeOverlappingZip(count: number, file: ZipEntryInput): Buffer {
  const inner: { headerAt: number; packed: ZipEntryInput }[] = [];
  const pieces: Buffer[] = [Buffer.from(file.bytes as string)];
  let at = LOCAL_HEADER_BYTES + file.name.length + (pieces[0]?.length ?? 0);
  for (let index = 0; index < count; index++) {
    const packed = { name: `${index}.bin`, bytes: 'within' };
    const { local } = encodeZipEntry(packed, 0);
    inner.push({ headerAt: at, packed });
    pieces.push(local);
    at += local.length;
  }
  const outer = encodeZipEntry({ ...file, bytes: Buffer.concat(pieces), stored: true }, 0);
  const entries = inner.map(({ headerAt, packed }) => encodeZipEntry(packed, headerAt).entry);
  return assembleZip([outer.local], [outer.entry, ...entries], {});
}

function assembleZip(locals: Buffer[], central: Buffer[], end: ZipEndFields): Buffer {
  const data = Buffer.concat(locals);
  const directory = Buffer.concat(central);
  const comment = Buffer.from(end.comment ?? '', 'latin1');
  const tail = Buffer.alloc(22);
  tail.write('PK\x05\x06', 'latin1');
  tail.writeUInt16LE(end.disk ?? 0, 4);
  tail.writeUInt16LE(end.count ?? central.length, 8);
  tail.writeUInt16LE(end.count ?? central.length, 10);
  tail.writeUInt32LE(directory.length, 12);
  tail.writeUInt32LE(end.offset ?? data.length, 16);
  tail.writeUInt16LE(comment.length, 20);
  return Buffer.concat([data, directory, tail, comment]);
}

function encodeZipEntry(file: ZipEntryInput, headerAt: number): { local: Buffer; entry: Buffer } {
  const bytes = Buffer.from(file.bytes as string);
  const packed = file.compressed ?? (file.stored ? bytes : deflateRawSync(bytes));
  const name = Buffer.from(file.name as string);
  const localName = Buffer.from(file.localHeaderName ?? (file.name as string));
  // Version 2.0, flags, method, a time of zero; then what both headers share.
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(file.flags ?? 0x800, 2);
  shared.writeUInt16LE(file.method ?? (file.stored ? 0 : 8), 4);
  shared.writeUInt32LE(file.crc ?? crc32(bytes), 10);
  shared.writeUInt32LE(packed.length, 14);
  shared.writeUInt32LE(file.claimedSizeBytes ?? bytes.length, 18);
  shared.writeUInt16LE(localName.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, localName, packed]);

  shared.writeUInt16LE(name.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((file.unixMode ?? 0o100644) * 0x10000) >>> 0, 6);
  rest.writeUInt32LE(headerAt, 10);
  const made = Buffer.from('PK\x01\x02\x14\x03', 'latin1');
  return { local, entry: Buffer.concat([made, shared, rest, name]) };
}
