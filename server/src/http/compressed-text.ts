import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';

/** Higher qualities take 10 times as long and save 5 % of a framed document, which is compressed on demand. */
const BROTLI_QUALITY = 6;
/** Takes a third of the time, and a framed document is 14 % larger. */
const FAST_BROTLI_QUALITY = 1;

/** The content encodings of a text; `identity` is not compressed. */
export type TextEncoding = 'br' | 'gzip' | 'identity';

/** A text in every content encoding. It is compressed when an encoding is first sent, and kept. */
export class CompressedText implements Record<TextEncoding, Buffer> {
  readonly identity: Buffer;
  #fastReads: number;
  #fastBr: Buffer | undefined;
  #br: Buffer | undefined;
  #gzip: Buffer | undefined;

  /** @param fastReads how often the text is sent before it is worth the time to compress it well */
  constructor(text: string, { fastReads = 0 } = {}) {
    this.identity = Buffer.from(text);
    this.#fastReads = fastReads;
  }

  get br(): Buffer {
    if (this.#fastReads > 0) {
      this.#fastReads -= 1;
      this.#fastBr ??= this.#compress(FAST_BROTLI_QUALITY);
      return this.#fastBr;
    }
    this.#fastBr = undefined;
    this.#br ??= this.#compress(BROTLI_QUALITY);
    return this.#br;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.identity);
    return this.#gzip;
  }

  #compress(quality: number): Buffer {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: this.identity.byteLength,
    };
    return brotliCompressSync(this.identity, { params });
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
