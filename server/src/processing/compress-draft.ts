import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createBrotliCompress } from 'node:zlib';
import type { BlobStore, Draft } from '../blobs/blob-store.ts';

/** A smaller file fits into a disk block and a few packets, compressed or not. */
const MIN_BYTES = 4096;

/** Most clients decompress: it must be worth their time, and the disk space. */
const MAX_RATIO = 0.95;

/** Up to this size, a better compression takes at most 0.3 s. */
const MAX_BYTES_OF_HIGH_QUALITY = 256 * 1024;

/**
 * Compresses a draft with Brotli into another draft. Returns undefined if that saves less than 5 %. zlib runs
 * in a thread, one chunk at a time.
 *
 * Measured on artifacts of the pipeline (meshopt, WebP textures), bytes saved and CPU time:
 *
 *     quality                  5               9               10               11
 *     Tower, 73 kB             73.9 %    3 ms  74.1 %   27 ms  77.2 %    67 ms  77.6 %   126 ms
 *     Fox, 52 kB               38.5 %    2 ms  39.1 %   34 ms  39.9 %    71 ms  40.2 %   137 ms
 *     preview of 93 kB         20.9 %    3 ms  21.3 %   40 ms  22.3 %   142 ms  22.5 %   429 ms
 *     WaterBottle, 212 kB       9.5 %    4 ms   9.8 %   31 ms  10.1 %   241 ms  10.2 %   804 ms
 *     FlightHelmet, 852 kB     17.0 %   22 ms  17.4 %  138 ms  18.6 %  1329 ms  18.9 %  2253 ms
 *
 * @throws {Problem} server.storage-full
 */
export async function compressDraft(blobs: BlobStore, draft: Draft): Promise<Draft | undefined> {
  const { sizeBytes } = draft;
  if (sizeBytes < MIN_BYTES) return undefined;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: sizeBytes <= MAX_BYTES_OF_HIGH_QUALITY ? 10 : 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes,
  };
  // An error of one stream destroys both, so that the draft fails and no file stays open.
  const bytes = pipeline(
    createReadStream(draft.path),
    createBrotliCompress({ params }),
    () => undefined,
  );
  // Brotli adds a few bytes to incompressible data.
  const compressed = await blobs.createDraft(bytes, { maxBytes: sizeBytes * 2 });
  if (compressed.sizeBytes <= sizeBytes * MAX_RATIO) return compressed;
  await compressed[Symbol.asyncDispose]();
  return undefined;
}
