import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzipSync,
} from 'node:zlib';
import Negotiator from 'negotiator';

/** Of the first response, which waits for it. */
const BROTLI_QUALITY = 6;
/** Takes 30 ms instead of 1 for a framed document, and saves 6 % of it. */
const BEST_BROTLI_QUALITY = 11;
/** Takes a third of the time, and a framed document is 14 % larger. */
const FAST_BROTLI_QUALITY = 1;

/** The content encodings of a text; `identity` is not compressed. */
export type TextEncoding = 'br' | 'gzip' | 'identity';

/** After so many times the fast reads, compressing a text as well as possible is worth the time. Without fast reads, when it is sent again. */
const BEST_READS_FACTOR = 25;

const compressInBackground = promisify(brotliCompress);
/** One text at a time: reading files needs the same threads. */
let isCompressing = false;

/**
 * A text in every content encoding. It is compressed when an encoding is first sent, and kept. A text that is sent again is compressed
 * once more in the background, as well as possible.
 */
export class CompressedText implements Record<TextEncoding, Buffer> {
  readonly identity: Buffer;
  readonly #fastReads: number;
  #reads = 0;
  #fastBr: Buffer | undefined;
  #br: Buffer | undefined;
  #best: Promise<void> | undefined;
  #gzip: Buffer | undefined;

  /** @param fastReads how often the text is sent before it is worth the time to compress it well */
  constructor(text: string, { fastReads = 0 } = {}) {
    this.identity = Buffer.from(text);
    this.#fastReads = fastReads;
  }

  get br(): Buffer {
    this.#reads += 1;
    if (this.#reads <= this.#fastReads) {
      this.#fastBr ??= brotliCompressSync(this.identity, this.#toOptions(FAST_BROTLI_QUALITY));
      return this.#fastBr;
    }
    this.#fastBr = undefined;
    this.#br ??= brotliCompressSync(this.identity, this.#toOptions(BROTLI_QUALITY));
    const isWorthIt = this.#reads > Math.max(1, this.#fastReads * BEST_READS_FACTOR);
    if (isWorthIt && !isCompressing) this.#best ??= this.#compressBest();
    return this.#br;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.identity);
    return this.#gzip;
  }

  async #compressBest(): Promise<void> {
    isCompressing = true;
    try {
      // An error is ignored: the text is compressed already.
      const bytes = await compressInBackground(
        this.identity,
        this.#toOptions(BEST_BROTLI_QUALITY),
      ).catch(() => undefined);
      if (bytes !== undefined && bytes.length < (this.#br?.length ?? Infinity)) this.#br = bytes;
    } finally {
      isCompressing = false;
    }
  }

  #toOptions(quality: number): BrotliOptions {
    return {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: this.identity.byteLength,
      },
    };
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
