import { findAvifSize } from './avif.ts';
import { findKtx2Size } from './ktx2.ts';
import { flat, type ImageSize } from './picture.ts';

type Finder = {
  kind: string;
  isIt(bytes: Buffer): boolean;
  find(bytes: Buffer): ImageSize | undefined;
};

const FINDERS: readonly Finder[] = [
  { kind: 'PNG', isIt: (b) => starts(b, '\x89PNG\r\n\x1a\n'), find: findPngSize },
  { kind: 'JPEG', isIt: (b) => starts(b, '\xff\xd8\xff'), find: findJpegSize },
  {
    kind: 'WebP',
    isIt: (b) => starts(b, 'RIFF') && b.toString('latin1', 8, 12) === 'WEBP',
    find: findWebpSize,
  },
  { kind: 'KTX2', isIt: (b) => starts(b, '\xabKTX 20\xbb\r\n\x1a\n'), find: findKtx2Size },
  {
    kind: 'AVIF',
    isIt: (b) => /^ftyp(avif|avis|mif1)/.test(b.toString('latin1', 4, 12)),
    find: findAvifSize,
  },
];

/**
 * Reads an image's size out of its header, going by the bytes and not by the declared type.
 *
 * @param head the image's start, or all of it
 * @returns undefined when the bytes are no image a browser and glTF share; a size of undefined when
 *   the header does not say within `head`
 */
export function findImageSize(
  head: Buffer,
): { kind: string; size: ImageSize | undefined } | undefined {
  const finder = FINDERS.find(({ isIt }) => isIt(head));
  return finder && { kind: finder.kind, size: finder.find(head) };
}

function starts(bytes: Buffer, magic: string): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic;
}

function findPngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return flat(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** Walks the segments to the first start of frame. */
function findJpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // SOF0-SOF15, without the tables and the arithmetic conditioning among them.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return flat(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function findWebpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return flat(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return flat((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return flat(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}
