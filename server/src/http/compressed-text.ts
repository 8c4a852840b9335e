import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';

/** Higher qualities take 10 times as long and save 5 % of a framed document, which is compressed on demand. */
const BROTLI_QUALITY = 6;

/** The content encodings of a text; `identity` is not compressed. */
export type TextEncoding = 'br' | 'gzip' | 'identity';

/** A text in every content encoding. It is compressed when an encoding is first sent, and kept. */
export class CompressedText implements Record<TextEncoding, Buffer> {
  readonly identity: Buffer;
  #br: Buffer | undefined;
  #gzip: Buffer | undefined;

  constructor(text: string) {
    this.identity = Buffer.from(text);
  }

  get br(): Buffer {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: this.identity.byteLength,
    };
    this.#br ??= brotliCompressSync(this.identity, { params });
    return this.#br;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.identity);
    return this.#gzip;
  }
}

/** Returns the smallest encoding that the client accepts. `header` is its Accept-Encoding. */
export function chooseTextEncoding(header: string | undefined): TextEncoding {
  if (header === undefined) return 'identity';
  // Browsers send a list without weights. Parsing it in full takes as long as the rest of a request.
  if (/^[a-z, -]*$/.test(header)) {
    if (/(^|[ ,])br($|[ ,])/.test(header)) return 'br';
    return /(^|[ ,])gzip($|[ ,])/.test(header) ? 'gzip' : 'identity';
  }
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const accepted = negotiator.encodings(['br', 'gzip']);
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : 'identity';
}
