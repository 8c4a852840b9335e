import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of these files, by their paths, deflated unless asked otherwise. */
export function makeZip(
  files: { readonly [path: string]: Buffer | string },
  { stored = false }: { stored?: boolean } = {},
): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const name = Buffer.from(path);
    // The part that both headers share, from the version needed on.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    // Names are UTF-8.
    shared.writeUInt16LE(0x800, 2);
    shared.writeUInt16LE(stored ? 0 : 8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, central, name);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), shared, name, packed];
    pieces.push(...local);
    offset += Buffer.concat(local).length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, listed, end]);
}
