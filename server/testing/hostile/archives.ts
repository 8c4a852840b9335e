import { deflateRawSync } from 'node:zlib';
import { type Canary, type Hostile, hostile, type Row } from './file.ts';
import { gltfFiles, obj, objFiles } from './sound.ts';
import { overlappingZip, type Packed, type ZipEnd, zip } from './zip.ts';

const MIB = 1024 * 1024;

/** Archives that unfold, lie, or lead elsewhere. */
export function hostileArchives({ file }: Canary): Hostile[] {
  return hostile('zip', [...bombs(), ...names(file), ...lies(), ...contents()]);
}

function bombs(): Row[] {
  const zeros = (bytes: number): Packed => ({ name: 'zeros.bin', bytes: Buffer.alloc(bytes) });
  return [
    ['64 MB of zeros', () => beside(zeros(64 * MIB))],
    ['64 MB of zeros that say they are 1000 bytes', () => beside(lying(64 * MIB, 1000))],
    ['4 MB of zeros that say they are 3 MB', () => beside(lying(4 * MIB, 3 * MIB))],
    [
      'the model itself is 64 MB of zeros',
      () => zip([{ name: 'a.obj', bytes: Buffer.alloc(64 * MIB) }]),
    ],
    ['a terabyte, it says', () => beside({ name: 'a.bin', bytes: 'a', size: 0xfffffffe })],
    ['10 000 entries', () => beside(...many(10_000))],
    ['60 000 entries of no bytes', () => zip([], { count: 60_000 })],
    [
      '500 entries within the bytes of another',
      () => overlappingZip(500, { name: 'a.obj', bytes: obj() }),
    ],
    ['an archive in an archive in an archive', () => nest(nest(nest(zip([zeros(MIB)]))))],
    [
      'nested archives beside a model',
      () => beside({ name: 'b.zip', bytes: nest(zip([zeros(9 * MIB)])) }),
      'any',
    ],
  ];
}

function names(canary: string): Row[] {
  const named =
    (name: string | Buffer, more: Partial<Packed> = {}) =>
    () =>
      beside({ name, bytes: 'harm', ...more });
  return [
    ['a name that leads out', named(`../../../../../../../..${canary}`)],
    ['a name that leads out in its middle', named(`a/../..${canary}`)],
    ['an absolute name', named(canary)],
    ['a name on a drive', named('C:/Windows/win.ini')],
    ['a name with backslashes', named('..\\..\\harm.txt')],
    ['a name with a NUL', named('a.png\0.gltf')],
    ['a name that turns the line', named('a\r\nb')],
    ['a name that is not UTF-8', named(Buffer.from('a\xff\xfe', 'latin1'))],
    ['a name of 60 000 letters', named('a'.repeat(60_000))],
    ['no name', named('')],
    ['a symbolic link to a file', named('a.png', { bytes: canary, mode: 0o120777 })],
    ['a symbolic link to a folder', named('a', { bytes: '/', mode: 0o120777 })],
    ['a device', named('a', { bytes: '', mode: 0o020666 })],
    ['the same name twice', named('scene.bin')],
    ['another name in the local header', named('a.png', { localName: 'b.png' })],
  ];
}

function lies(): Row[] {
  const sound = () => zip(gltfFiles());
  const ended = (end: ZipEnd) => () => zip(gltfFiles(), end);
  const odd = (more: Partial<Packed>) => () =>
    beside({ name: 'a.bin', bytes: 'some bytes', ...more });
  return [
    ['encrypted', odd({ flags: 0x801 })],
    ['packed in an unknown way', odd({ method: 14 })],
    ['a wrong checksum', odd({ crc: 7 })],
    ['fewer bytes than it says', odd({ size: 11 })],
    ['stored in two sizes', odd({ stored: true, size: 11 })],
    ['deflated noise', odd({ packed: Buffer.alloc(100, 0xfe) })],
    [
      'bytes behind the deflated ones',
      odd({ packed: Buffer.concat([deflateRawSync('some bytes'), Buffer.alloc(9)]) }),
    ],
    ['more entries than there are', ended({ count: 9 })],
    ['zip64 that is not there', ended({ count: 0xffff })],
    ['a directory elsewhere', ended({ offset: 10 })],
    ['one disk of several', ended({ disk: 3 })],
    ['an end within the comment', ended({ comment: sound().subarray(-22).toString('latin1') })],
    ['bytes behind the end', () => Buffer.concat([sound(), Buffer.alloc(10)])],
    ['bytes before the start', () => Buffer.concat([Buffer.from('PK\x03\x04#!/bin/sh'), sound()])],
    ['a zip64 end that lies', () => withWideEnd(sound())],
  ];
}

function contents(): Row[] {
  return [
    ['nothing in it', () => zip([])],
    ['no model in it', () => zip([{ name: 'a.txt', bytes: 'a' }])],
    ['two models side by side', () => zip([...gltfFiles(), { name: 'other.obj', bytes: obj() }])],
    ['a model that is none', () => zip([{ name: 'a.gltf', bytes: '#!/bin/sh' }])],
    ['a model of no bytes', () => zip([{ name: 'a.obj', bytes: '' }])],
    ['a USDZ', () => zip([{ name: 'a.usdc', bytes: 'PXR-USDC', stored: true }])],
    [
      'a document',
      () =>
        zip([
          { name: '[Content_Types].xml', bytes: '<Types/>' },
          { name: 'word/a.xml', bytes: '' },
        ]),
    ],
    [
      'hidden models alone',
      () =>
        zip([
          { name: '__MACOSX/a.obj', bytes: obj() },
          { name: '.b/c.obj', bytes: obj() },
        ]),
    ],
  ];
}

function beside(...files: Packed[]): Buffer {
  return zip([...gltfFiles(), ...files]);
}

/** Zeros, with a size that is not theirs. */
function lying(bytes: number, size: number): Packed {
  return { name: 'zeros.bin', bytes: Buffer.alloc(bytes), size };
}

function many(count: number): Packed[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${at}.txt`,
    bytes: 'a',
    stored: true,
  }));
}

function nest(archive: Buffer): Buffer {
  return zip(Array.from({ length: 10 }, (_, at) => ({ name: `${at}.zip`, bytes: archive })));
}

/** Both ends are there, and they do not agree. */
function withWideEnd(archive: Buffer): Buffer {
  const end = Buffer.from(archive.subarray(-22));
  end.writeUInt32LE(0xffffffff, 16);
  const wideAt = archive.length - 22;
  const wide = Buffer.alloc(56 + 20);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeBigUInt64LE(2n ** 40n, 32);
  wide.writeBigUInt64LE(2n ** 60n, 40);
  wide.writeUInt32LE(0x07064b50, 56);
  wide.writeBigUInt64LE(BigInt(wideAt), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([archive.subarray(0, -22), wide, end]);
}

/** For those who want an OBJ with what its materials ask for. */
export function objAsking(materials: string): Buffer {
  return zip(objFiles({ materials }));
}
