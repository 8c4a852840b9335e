import type { Stretch } from './container.ts';
import type { Document } from './document.ts';
import { findExtension } from './extensions.ts';
import { grouped } from './limits.ts';
import { checkMeshopt } from './meshopt.ts';
import type { Limits } from './limits.ts';
import type { Part } from './part.ts';
import { type Meter, Reader, type Region } from './reader.ts';
import { bytesSource } from './source.ts';

/** A buffer: where its bytes are. One that only stands for decompressed data has none. */
export type GltfBuffer = { readonly length: number; readonly region: Region | undefined };

/** A buffer view, or what one decompresses to. */
export type View = {
  readonly part: Part;
  readonly length: number;
  /** Bytes from one element to the next, when the view says so. */
  readonly stride: number | undefined;
  /** Undefined when the bytes are compressed: nothing can be read of them here. */
  readonly region: Region | undefined;
  /** Compressed bytes, to look at the header of. */
  readonly packed?: Packed;
};

export type Packed = { readonly part: Part; readonly region: Region; readonly mode: string };

/** The file as the buffers see it. */
export type Storage = { reader: Reader; meter: Meter; bin: Stretch | undefined };

export function readBuffers(document: Document, storage: Storage): GltfBuffer[] {
  return document.buffers.map((part, index) => {
    const length = part.get('byteLength').integer(1);
    const uri = part.find('uri');
    if (uri !== undefined) return { length, region: inJson(uri, length, storage.meter) };
    const fallback = findExtension(part, 'EXT_meshopt_compression', 'KHR_meshopt_compression');
    if (fallback?.find('fallback')?.flag()) return { length, region: undefined };

    if (index > 0 || storage.bin === undefined) {
      part.fail('buffer', 'has no data: only the first buffer may lie in the BIN chunk');
    }
    if (length > storage.bin.length) {
      const has = grouped(storage.bin.length);
      part.fail('range', `is ${grouped(length)} bytes long, but the BIN chunk has ${has}`);
    }
    return { length, region: { reader: storage.reader, offset: storage.bin.offset, length } };
  });
}

function inJson(uri: Part, length: number, meter: Meter): Region {
  const bytes = decodeDataUri(uri);
  if (bytes.length < length) {
    uri.fail('range', `holds ${grouped(bytes.length)} bytes, fewer than its byteLength`);
  }
  return { reader: new Reader(bytesSource(bytes), meter), offset: 0, length };
}

/** The bytes in a `data:` URI; no longer than the JSON it stands in, which is bounded. */
export function decodeDataUri(uri: Part): Buffer {
  const text = uri.text();
  const comma = text.indexOf(',');
  if (!/^data:/i.test(text) || comma === -1) uri.fail('uri', 'is not a data: URI');
  const body = text.slice(comma + 1);
  if (/;base64$/i.test(text.slice(0, Math.min(comma, 200)))) return Buffer.from(body, 'base64');
  try {
    return Buffer.from(decodeURIComponent(body), 'latin1');
  } catch {
    // A malformed escape is the file's fault, and there is no more to say about it.
    return uri.fail('uri', 'is broken');
  }
}

export function readViews(document: Document, buffers: GltfBuffer[], limits: Limits): View[] {
  return document.bufferViews.map((part) => {
    const length = part.get('byteLength').integer(1);
    const strideIn = part.find('byteStride');
    const stride = strideIn?.integer(1, 252);
    const extension = findExtension(part, 'EXT_meshopt_compression', 'KHR_meshopt_compression');
    if (extension !== undefined) {
      const region = checkRange(extension, buffers);
      if (region === undefined) extension.fail('buffer', 'takes its bytes from a buffer with none');
      const mode = checkMeshopt(extension, { viewBytes: length, region, limits });
      // The view's own range is of the fallback, which nobody reads, but which must be sound too.
      checkRange(part, buffers);
      return { part, length, stride, region: undefined, packed: { part: extension, region, mode } };
    }
    const region = checkRange(part, buffers);
    if (region === undefined) part.fail('buffer', 'takes its bytes from a buffer with none');
    return { part, length, stride, region };
  });
}

/** Reads `buffer`, `byteOffset` and `byteLength`; gives where that is, if the buffer has bytes. */
function checkRange(part: Part, buffers: GltfBuffer[]): Region | undefined {
  const buffer = part.get('buffer').pick(buffers, 'buffers');
  const offset = part.find('byteOffset')?.integer() ?? 0;
  const length = part.get('byteLength').integer(1);
  if (offset + length > buffer.length) {
    part.fail(
      'range',
      `ends at byte ${grouped(offset + length)}, but its buffer has ${grouped(buffer.length)}`,
    );
  }
  return buffer.region && { ...buffer.region, offset: buffer.region.offset + offset, length };
}
