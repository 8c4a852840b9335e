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

/** Archives that unfold, lie, or lead elsewhere. */
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
      '64 MB of zeros that say they are 1000 bytes',
      () => zipWithModelAnd(zerosWithClaimedSize(64 * MIB, 1000)),
    ],
    [
      '4 MB of zeros that say they are 3 MB',
      () => zipWithModelAnd(zerosWithClaimedSize(4 * MIB, 3 * MIB)),
    ],
    [
      'the model itself is 64 MB of zeros',
      () => makeRawZip([{ name: 'a.obj', bytes: Buffer.alloc(64 * MIB) }]),
    ],
    [
      'a terabyte, it says',
      () => zipWithModelAnd({ name: 'a.bin', bytes: 'a', claimedSizeBytes: 0xfffffffe }),
    ],
    ['10 000 entries', () => zipWithModelAnd(...tinyFiles(10_000))],
    ['60 000 entries of no bytes', () => makeRawZip([], { count: 60_000 })],
    [
      '500 entries within the bytes of another',
      () => makeOverlappingZip(500, { name: 'a.obj', bytes: makeMinimalObj() }),
    ],
    [
      'an archive in an archive in an archive',
      () => nestArchive(nestArchive(nestArchive(makeRawZip([zeros(MIB)])))),
    ],
    [
      'nested archives beside a model',
      () => zipWithModelAnd({ name: 'b.zip', bytes: nestArchive(makeRawZip([zeros(9 * MIB)])) }),
      'any',
    ],
  ];
}

function hostileEntryNames(canary: string): HostileFileCase[] {
  const named =
    (name: string | Buffer, more: Partial<ZipEntryInput> = {}) =>
    () =>
      zipWithModelAnd({ name, bytes: 'harm', ...more });
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
    ['a symbolic link to a file', named('a.png', { bytes: canary, unixMode: 0o120777 })],
    ['a symbolic link to a folder', named('a', { bytes: '/', unixMode: 0o120777 })],
    ['a device', named('a', { bytes: '', unixMode: 0o020666 })],
    ['the same name twice', named('scene.bin')],
    ['another name in the local header', named('a.png', { localHeaderName: 'b.png' })],
  ];
}

function inconsistentHeaders(): HostileFileCase[] {
  const sound = () => makeRawZip(makeGltfZipEntries());
  const ended = (end: ZipEndFields) => () => makeRawZip(makeGltfZipEntries(), end);
  const odd = (more: Partial<ZipEntryInput>) => () =>
    zipWithModelAnd({ name: 'a.bin', bytes: 'some bytes', ...more });
  return [
    ['encrypted', odd({ flags: 0x801 })],
    ['packed in an unknown way', odd({ method: 14 })],
    ['a wrong checksum', odd({ crc: 7 })],
    ['fewer bytes than it says', odd({ claimedSizeBytes: 11 })],
    ['stored in two sizes', odd({ stored: true, claimedSizeBytes: 11 })],
    ['deflated noise', odd({ compressed: Buffer.alloc(100, 0xfe) })],
    [
      'bytes behind the deflated ones',
      odd({ compressed: Buffer.concat([deflateRawSync('some bytes'), Buffer.alloc(9)]) }),
    ],
    ['more entries than there are', ended({ count: 9 })],
    ['zip64 that is not there', ended({ count: 0xffff })],
    ['a directory elsewhere', ended({ offset: 10 })],
    ['one disk of several', ended({ disk: 3 })],
    ['an end within the comment', ended({ comment: sound().subarray(-22).toString('latin1') })],
    ['bytes behind the end', () => Buffer.concat([sound(), Buffer.alloc(10)])],
    ['bytes before the start', () => Buffer.concat([Buffer.from('PK\x03\x04#!/bin/sh'), sound()])],
    ['a zip64 end that lies', () => withInvalidZip64End(sound())],
  ];
}

function unusableContents(): HostileFileCase[] {
  return [
    ['nothing in it', () => makeRawZip([])],
    ['no model in it', () => makeRawZip([{ name: 'a.txt', bytes: 'a' }])],
    [
      'two models side by side',
      () => makeRawZip([...makeGltfZipEntries(), { name: 'other.obj', bytes: makeMinimalObj() }]),
    ],
    ['a model that is none', () => makeRawZip([{ name: 'a.gltf', bytes: '#!/bin/sh' }])],
    ['a model of no bytes', () => makeRawZip([{ name: 'a.obj', bytes: '' }])],
    ['a USDZ', () => makeRawZip([{ name: 'a.usdc', bytes: 'PXR-USDC', stored: true }])],
    [
      'a document',
      () =>
        makeRawZip([
          { name: '[Content_Types].xml', bytes: '<Types/>' },
          { name: 'word/a.xml', bytes: '' },
        ]),
    ],
    [
      'hidden models alone',
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

/** Zeros, with a size that is not theirs. */
function zerosWithClaimedSize(bytes: number, claimedSizeBytes: number): ZipEntryInput {
  return { name: 'zeros.bin', bytes: Buffer.alloc(bytes), claimedSizeBytes };
}

function tinyFiles(count: number): ZipEntryInput[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${at}.txt`,
    bytes: 'a',
    stored: true,
  }));
}

function nestArchive(archive: Buffer): Buffer {
  return makeRawZip(Array.from({ length: 10 }, (_, at) => ({ name: `${at}.zip`, bytes: archive })));
}

/** Both ends are there, and they do not agree. */
function withInvalidZip64End(archive: Buffer): Buffer {
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
export function zipObjWithMaterials(materials: string): Buffer {
  return makeRawZip(makeObjZipEntries({ materials }));
}
