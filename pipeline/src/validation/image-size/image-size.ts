import { parseAvifSize } from './avif.ts';
import { type ImageKind, type ImageSize, toImageSize } from './image-types.ts';
import { parseKtx2Size } from './ktx2.ts';

/** The first bytes of an image, which nearly always contain its size. */
export const IMAGE_HEADER_BYTES = 64 * 1024;
/** The bytes in which the size is searched otherwise: JPEGs may start with color profiles and previews. */
export const MAX_IMAGE_HEADER_BYTES = 1024 * 1024;

type ImageSizeParser = {
  kind: ImageKind;
  matches(bytes: Buffer): boolean;
  parse(bytes: Buffer): ImageSize | undefined;
};

const IMAGE_SIZE_PARSERS: readonly ImageSizeParser[] = [
  { kind: 'PNG', matches: (b) => startsWith(b, '\x89PNG\r\n\x1a\n'), parse: parsePngSize },
  { kind: 'JPEG', matches: (b) => startsWith(b, '\xff\xd8\xff'), parse: parseJpegSize },
  {
    kind: 'WebP',
    matches: (b) => startsWith(b, 'RIFF') && b.toString('latin1', 8, 12) === 'WEBP',
    parse: parseWebpSize,
  },
  { kind: 'KTX2', matches: (b) => startsWith(b, '\xabKTX 20\xbb\r\n\x1a\n'), parse: parseKtx2Size },
  {
    kind: 'AVIF',
    matches: (b) => /^ftyp(avif|avis|mif1)/.test(b.toString('latin1', 4, 12)),
    parse: parseAvifSize,
  },
];

/**
 * Reads the size of an image from its header. The format is detected from the bytes; the declared
 * type is ignored.
 *
 * @param head the first bytes of the image, or all
 * @returns undefined if the format is not supported; `size` is undefined if it is not in `head`
 */
export function findImageSize(
  head: Buffer,
): { kind: ImageKind; size: ImageSize | undefined } | undefined {
  const parser = IMAGE_SIZE_PARSERS.find(({ matches }) => matches(head));
  return parser && { kind: parser.kind, size: parser.parse(head) };
}

function startsWith(bytes: Buffer, magic: string): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic;
}

function parsePngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return toImageSize(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** Reads the size from the first start-of-frame segment. */
function parseJpegSize(bytes: Buffer): ImageSize | undefined {
  let offset = 2;
  while (offset + 9 <= bytes.length) {
    if (bytes[offset] !== 0xff) return undefined;
    const marker = bytes.readUInt8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // SOF0 to SOF15, except the markers DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return toImageSize(bytes.readUInt16BE(offset + 7), bytes.readUInt16BE(offset + 5));
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return undefined;
}

function parseWebpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return toImageSize(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return toImageSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return toImageSize(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}
