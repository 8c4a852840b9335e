import { crc32, deflateRawSync } from 'node:zlib';

/** A file to pack. The optional fields are written as they are, even if they are wrong. */
export type ZipEntryInput = {
  name: string | Buffer;
  bytes: Buffer | string;
  /** Not compressed. */
  stored?: boolean;
  /** Written instead of the deflated bytes. */
  compressed?: Buffer;
  method?: number;
  flags?: number;
  /** The uncompressed size in the headers. */
  claimedSizeBytes?: number;
  crc?: number;
  /** Unix mode, for links. */
  unixMode?: number;
  /** The name in the local header, if it differs from that in the central directory. */
  localHeaderName?: string;
};

/** The fields of the end of central directory record. */
export type ZipEndFields = { count?: number; offset?: number; disk?: number; comment?: string };

const LOCAL_HEADER_BYTES = 30;

/** Creates a zip archive in which each field of a header can be wrong. */
export function makeRawZip(files: readonly ZipEntryInput[], end: ZipEndFields = {}): Buffer {
  const localFiles: Buffer[] = [];
  const centralHeaders: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { localFile, centralHeader } = encodeZipEntry(file, offset);
    localFiles.push(localFile);
    centralHeaders.push(centralHeader);
    offset += localFile.length;
  }
  return assembleZip(localFiles, centralHeaders, end);
}

/**
 * Creates an archive whose first file contains the local headers and data of the others, so that the
 * bytes count twice. With nested layers they would count a hundred thousand times.
 */
export function makeOverlappingZip(count: number, file: ZipEntryInput): Buffer {
  const inner: { offset: number; file: ZipEntryInput }[] = [];
  const pieces: Buffer[] = [Buffer.from(file.bytes as string)];
  let offset = LOCAL_HEADER_BYTES + file.name.length + (pieces[0]?.length ?? 0);
  for (let index = 0; index < count; index++) {
    const innerFile = { name: `${index}.bin`, bytes: 'within' };
    const { localFile } = encodeZipEntry(innerFile, 0);
    inner.push({ offset, file: innerFile });
    pieces.push(localFile);
    offset += localFile.length;
  }
  const outer = encodeZipEntry({ ...file, bytes: Buffer.concat(pieces), stored: true }, 0);
  const centralHeaders = inner.map(
    (entry) => encodeZipEntry(entry.file, entry.offset).centralHeader,
  );
  return assembleZip([outer.localFile], [outer.centralHeader, ...centralHeaders], {});
}

function assembleZip(localFiles: Buffer[], centralHeaders: Buffer[], end: ZipEndFields): Buffer {
  const data = Buffer.concat(localFiles);
  const directory = Buffer.concat(centralHeaders);
  const comment = Buffer.from(end.comment ?? '', 'latin1');
  const endRecord = Buffer.alloc(22);
  endRecord.write('PK\x05\x06', 'latin1');
  endRecord.writeUInt16LE(end.disk ?? 0, 4);
  endRecord.writeUInt16LE(end.count ?? centralHeaders.length, 8);
  endRecord.writeUInt16LE(end.count ?? centralHeaders.length, 10);
  endRecord.writeUInt32LE(directory.length, 12);
  endRecord.writeUInt32LE(end.offset ?? data.length, 16);
  endRecord.writeUInt16LE(comment.length, 20);
  return Buffer.concat([data, directory, endRecord, comment]);
}

/** Encodes a file with its local header, which is at `offset`, and its central header. */
function encodeZipEntry(
  file: ZipEntryInput,
  offset: number,
): { localFile: Buffer; centralHeader: Buffer } {
  const bytes = Buffer.from(file.bytes as string);
  const compressed = file.compressed ?? (file.stored ? bytes : deflateRawSync(bytes));
  const name = Buffer.from(file.name as string);
  const localName = Buffer.from(file.localHeaderName ?? (file.name as string));
  // The part that both headers share, from the version needed to extract (2.0).
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(file.flags ?? 0x800, 2);
  shared.writeUInt16LE(file.method ?? (file.stored ? 0 : 8), 4);
  shared.writeUInt32LE(file.crc ?? crc32(bytes), 10);
  shared.writeUInt32LE(compressed.length, 14);
  shared.writeUInt32LE(file.claimedSizeBytes ?? bytes.length, 18);
  shared.writeUInt16LE(localName.length, 22);
  const localFile = Buffer.concat([
    Buffer.from('PK\x03\x04', 'latin1'),
    shared,
    localName,
    compressed,
  ]);

  shared.writeUInt16LE(name.length, 22);
  const centralFields = Buffer.alloc(14);
  centralFields.writeUInt32LE(((file.unixMode ?? 0o100644) * 0x10000) >>> 0, 6);
  centralFields.writeUInt32LE(offset, 10);
  const signature = Buffer.from('PK\x01\x02\x14\x03', 'latin1');
  const centralHeader = Buffer.concat([signature, shared, centralFields, name]);
  return { localFile, centralHeader };
}
