import type { Stretch } from './container.ts';
import type { Document } from './document.ts';
import { findExtension } from './extensions.ts';
import { grouped, type Tally } from './limits.ts';
import { checkMeshopt, checkMeshoptHeader } from './meshopt.ts';
import type { Part } from './part.ts';
import { type Meter, Reader, type Region } from './reader.ts';
import type { Scans } from './scans.ts';
import type { Siblings } from './siblings.ts';
import { bytesSource, type Source } from './source.ts';

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
};

/** The files as the buffers see them. */
export type Storage = {
  meter: Meter;
  glb: { file: Source; bin: Stretch | undefined } | undefined;
  siblings: Siblings | undefined;
};

export function readBuffers(document: Document, storage: Storage): GltfBuffer[] {
  const { meter, glb, siblings } = storage;
  const reader = glb && new Reader(glb.file, meter);
  return document.buffers.map((part: Part, index) => {
    const length = part.get('byteLength').integer(1);
    const uri = part.find('uri');
    if (uri !== undefined) return { length, region: behind(uri, length, { meter, siblings }) };
    if (findMeshopt(part)?.find('fallback')?.flag()) return { length, region: undefined };

    const bin = glb?.bin;
    if (index > 0 || reader === undefined || bin === undefined) {
      part.fail('buffer', 'has no data: only the first buffer may lie in the BIN chunk of a GLB');
    }
    if (length > bin.length) {
      const has = grouped(bin.length);
      part.fail('range', `is ${grouped(length)} bytes long, but the BIN chunk has ${has}`);
    }
    return { length, region: { reader, offset: bin.offset, length } };
  });
}

type Beyond = Pick<Storage, 'meter' | 'siblings'>;

function behind(uri: Part, length: number, { meter, siblings }: Beyond): Region {
  const bytes = siblings?.find(uri.text())?.bytes ?? decodeDataUri(uri);
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

export function readViews(
  document: Document,
  buffers: GltfBuffer[],
  { scans, tally }: { scans: Scans; tally: Tally },
): View[] {
  return document.bufferViews.map((part: Part) => {
    const length = part.get('byteLength').integer(1);
    const stride = part.find('byteStride')?.integer(1, 252);
    // With a compressed view, its own range is of a fallback that nobody reads; it must be sound too.
    const region = checkRange(part, buffers);

    const meshopt = findMeshopt(part);
    if (meshopt !== undefined) {
      const packed = checkRange(meshopt, buffers) ?? failWithout(meshopt);
      const bytes = checkMeshopt(meshopt, {
        viewBytes: length,
        region: packed,
        limits: tally.limits,
      });
      tally.add('geometryBytes', bytes, meshopt);
      scans.peek(packed, 1, (head) => checkMeshoptHeader(meshopt, head));
      return { part, length, stride, region: undefined };
    }
    return { part, length, stride, region: region ?? failWithout(part) };
  });
}

function findMeshopt(part: Part): Part | undefined {
  return findExtension(part, 'EXT_meshopt_compression', 'KHR_meshopt_compression');
}

function failWithout(part: Part): never {
  part.fail('buffer', 'takes its bytes from a buffer that has none');
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
