import { deflateRawSync } from 'node:zlib';
import {
  makeOverlappingZip,
  makeRawZip,
  type ZipEndFields,
  type ZipEntryInput,
} from '../formats/raw-zip.ts';
import {
  type CanaryTargets,
  type HostileFile,
  type HostileFileCase,
  toHostileFiles,
} from './hostile-file.ts';
import { makeGltfZipEntries, makeMinimalObj, makeObjZipEntries } from './valid-files.ts';

const MIB = 1024 * 1024;

/** Zip bombs, archives with inconsistent headers and entry names that lead out of the archive. */
export function listHostileArchives({ filePath }: CanaryTargets): HostileFile[] {
  return toHostileFiles('zip', [
    ...zipBombs(),
    ...hostileEntryNames(filePath),
    ...inconsistentHeaders(),
    ...unusableContents(),
  ]);
}

function zipBombs(): HostileFileCase[] {
  const zeros = (bytes: number): ZipEntryInput => ({
    name: 'zeros.bin',
    bytes: Buffer.alloc(bytes),
  });
  return [
    ['64 MB of zeros', () => zipWithModelAnd(zeros(64 * MIB))],
    [
      '64 MB of zeros with a declared size of 1000 bytes',
      () => zipWithModelAnd(zerosWithClaimedSize(64 * MIB, 1000)),
    ],
    [
      '4 MB of zeros with a declared size of 3 MB',
      () => zipWithModelAnd(zerosWithClaimedSize(4 * MIB, 3 * MIB)),
    ],
    [
      'a model of 64 MB of zeros',
      () => makeRawZip([{ name: 'a.obj', bytes: Buffer.alloc(64 * MIB) }]),
    ],
    [
      'a declared size of 4 GB',
      () => zipWithModelAnd({ name: 'a.bin', bytes: 'a', claimedSizeBytes: 0xfffffffe }),
    ],
    ['10 000 entries', () => zipWithModelAnd(...tinyFiles(10_000))],
    ['60 000 declared entries in an empty archive', () => makeRawZip([], { count: 60_000 })],
    [
      '500 entries in the data of another',
      () => makeOverlappingZip(500, { name: 'a.obj', bytes: makeMinimalObj() }),
    ],
    [
      'an archive in an archive in an archive',
      () => nestArchive(nestArchive(nestArchive(makeRawZip([zeros(MIB)])))),
    ],
    [
      'a model and nested archives',
      () => zipWithModelAnd({ name: 'b.zip', bytes: nestArchive(makeRawZip([zeros(9 * MIB)])) }),
      'any',
    ],
  ];
}

function hostileEntryNames(canary: string): HostileFileCase[] {
  const named =
    (name: string | Buffer, more: Partial<ZipEntryInput> = {}) =>
    () =>
      zipWithModelAnd({ name, bytes: 'malicious', ...more });
  return [
    ['a name that leads out', named(`../../../../../../../..${canary}`)],
    ['a name that leads out from a folder', named(`a/../..${canary}`)],
    ['an absolute name', named(canary)],
    ['a name on a drive', named('C:/Windows/win.ini')],
    ['a name that leads out with backslashes', named('..\\..\\harm.txt')],
    ['a name that leads out from a folder with backslashes', named('a\\..\\..\\harm.txt')],
    ['a name that leads out with both slashes', named('a/..\\../harm.txt')],
    ['an absolute name with a backslash', named('\\Windows\\win.ini')],
    ['a name on a drive with a backslash', named('C:\\Windows\\win.ini')],
    ['a name on a server', named('\\\\server\\share\\a.txt')],
    ['two backslashes in a name', named('a\\\\b.txt')],
    ['the same name with a slash and a backslash', named('textures\\a b.png')],
    ['a name with a NUL', named('a.png\0.gltf')],
    ['a name with a line break', named('a\r\nb')],
    ['a name that is not UTF-8', named(Buffer.from('a\xff\xfe', 'latin1'))],
    ['a name of 60 000 letters', named('a'.repeat(60_000))],
    ['no name', named('')],
    ['a symbolic link to a file', named('a.png', { bytes: canary, unixMode: 0o120777 })],
    ['a symbolic link to a folder', named('a', { bytes: '/', unixMode: 0o120777 })],
    ['a device', named('a', { bytes: '', unixMode: 0o020666 })],
    ['the same name twice', named('scene.bin')],
    ['another name in the local header', named('a.png', { localHeaderName: 'b.png' })],
  ];
}

function inconsistentHeaders(): HostileFileCase[] {
  const validZip = () => makeRawZip(makeGltfZipEntries());
  const withEnd = (end: ZipEndFields) => () => makeRawZip(makeGltfZipEntries(), end);
  const withEntry = (more: Partial<ZipEntryInput>) => () =>
    zipWithModelAnd({ name: 'a.bin', bytes: 'some bytes', ...more });
  return [
    ['encrypted', withEntry({ flags: 0x801 })],
    ['an unknown compression method', withEntry({ method: 14 })],
    ['a wrong checksum', withEntry({ crc: 7 })],
    ['fewer bytes than declared', withEntry({ claimedSizeBytes: 11 })],
    ['stored with two different sizes', withEntry({ stored: true, claimedSizeBytes: 11 })],
    ['invalid deflate data', withEntry({ compressed: Buffer.alloc(100, 0xfe) })],
    [
      'extra bytes after the deflate data',
      withEntry({ compressed: Buffer.concat([deflateRawSync('some bytes'), Buffer.alloc(9)]) }),
    ],
    ['more entries than there are', withEnd({ count: 9 })],
    ['a missing zip64 record', withEnd({ count: 0xffff })],
    ['a wrong directory offset', withEnd({ offset: 10 })],
    ['one part of several', withEnd({ disk: 3 })],
    [
      'an end record in the comment',
      withEnd({ comment: validZip().subarray(-22).toString('latin1') }),
    ],
    ['extra bytes at the end', () => Buffer.concat([validZip(), Buffer.alloc(10)])],
    [
      'extra bytes at the start',
      () => Buffer.concat([Buffer.from('PK\x03\x04#!/bin/sh'), validZip()]),
    ],
    ['a wrong zip64 end record', () => withInvalidZip64End(validZip())],
  ];
}

function unusableContents(): HostileFileCase[] {
  return [
    ['no entries', () => makeRawZip([])],
    ['no model', () => makeRawZip([{ name: 'a.txt', bytes: 'a' }])],
    [
      'two models side by side',
      () => makeRawZip([...makeGltfZipEntries(), { name: 'other.obj', bytes: makeMinimalObj() }]),
    ],
    ['an invalid model', () => makeRawZip([{ name: 'a.gltf', bytes: '#!/bin/sh' }])],
    ['an empty model', () => makeRawZip([{ name: 'a.obj', bytes: '' }])],
    ['a USDZ', () => makeRawZip([{ name: 'a.usdc', bytes: 'PXR-USDC', stored: true }])],
    [
      'an Office document',
      () =>
        makeRawZip([
          { name: '[Content_Types].xml', bytes: '<Types/>' },
          { name: 'word/a.xml', bytes: '' },
        ]),
    ],
    [
      'only hidden models',
      () =>
        makeRawZip([
          { name: '__MACOSX/a.obj', bytes: makeMinimalObj() },
          { name: '.b/c.obj', bytes: makeMinimalObj() },
        ]),
    ],
  ];
}

function zipWithModelAnd(...files: ZipEntryInput[]): Buffer {
  return makeRawZip([...makeGltfZipEntries(), ...files]);
}

/** Zeros with a wrong declared size. */
function zerosWithClaimedSize(bytes: number, claimedSizeBytes: number): ZipEntryInput {
  return { name: 'zeros.bin', bytes: Buffer.alloc(bytes), claimedSizeBytes };
}

function tinyFiles(count: number): ZipEntryInput[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${index}.txt`,
    bytes: 'a',
    stored: true,
  }));
}

function nestArchive(archive: Buffer): Buffer {
  return makeRawZip(
    Array.from({ length: 10 }, (_, index) => ({ name: `${index}.zip`, bytes: archive })),
  );
}

/** Adds a zip64 end record that contradicts the other one. */
function withInvalidZip64End(archive: Buffer): Buffer {
  const end = Buffer.from(archive.subarray(-22));
  end.writeUInt32LE(0xffffffff, 16);
  const zip64Offset = archive.length - 22;
  const zip64End = Buffer.alloc(56 + 20);
  zip64End.writeUInt32LE(0x06064b50, 0);
  zip64End.writeBigUInt64LE(44n, 4);
  zip64End.writeBigUInt64LE(2n ** 40n, 32);
  zip64End.writeBigUInt64LE(2n ** 60n, 40);
  zip64End.writeUInt32LE(0x07064b50, 56);
  zip64End.writeBigUInt64LE(BigInt(zip64Offset), 64);
  zip64End.writeUInt32LE(1, 72);
  return Buffer.concat([archive.subarray(0, -22), zip64End, end]);
}

/** A zip of an OBJ with these materials. */
export function zipObjWithMaterials(materials: string): Buffer {
  return makeRawZip(makeObjZipEntries({ materials }));
}
