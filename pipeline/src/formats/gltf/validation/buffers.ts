import { type Budget, formatNumber } from '../../../validation/budgets.ts';
import { type ByteReader, createBufferReader } from '../../../validation/byte-reader.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import { decodeDataUri } from '../data-uri.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import { BlockReader, type ByteRegion, type ReadBudget } from './block-reader.ts';
import type { GltfDocument } from './document.ts';
import { findExtension } from './extensions.ts';
import type { ExternalFiles } from './external-files.ts';
import { validateMeshopt, validateMeshoptHeader } from './meshopt.ts';
import type { ChunkRange } from './parse-glb.ts';

/** A validated buffer. A fallback for decompressed data has no region. */
export type GltfBuffer = { readonly length: number; readonly region: ByteRegion | undefined };

/** A validated buffer view. If it is compressed, `length` is its decompressed length. */
export type GltfBufferView = {
  readonly json: JsonNode;
  readonly length: number;
  /** Bytes from one element to the next, if declared. */
  readonly byteStride: number | undefined;
  /** Undefined if the bytes are compressed, as they are not decoded here. */
  readonly region: ByteRegion | undefined;
};

/** The places in which the bytes of buffers may be. */
export type BufferStorage = {
  readBudget: ReadBudget;
  glb: { file: ByteReader; bin: ChunkRange | undefined } | undefined;
  externalFiles: ExternalFiles | undefined;
};

/** Reads the buffers: in the BIN chunk, in data: URIs or in external files. */
export function parseBuffers(document: GltfDocument, storage: BufferStorage): GltfBuffer[] {
  const { readBudget, glb, externalFiles } = storage;
  const reader = glb && new BlockReader(glb.file, readBudget);
  return document.buffers.map((json: JsonNode, index) => {
    const length = json.get('byteLength').integer(1);
    const uri = json.find('uri');
    if (uri !== undefined)
      return { length, region: resolveBufferUri(uri, length, { readBudget, externalFiles }) };
    if (findMeshoptExtension(json)?.find('fallback')?.boolean())
      return { length, region: undefined };

    const bin = glb?.bin;
    if (index > 0 || reader === undefined || bin === undefined) {
      json.fail('buffer', 'has no data: only the first buffer may be in the BIN chunk of a GLB');
    }
    if (length > bin.length) {
      const binLength = formatNumber(bin.length);
      json.fail(
        'range',
        `is ${formatNumber(length)} bytes long, but the BIN chunk has ${binLength}`,
      );
    }
    return { length, region: { reader, offset: bin.offset, length } };
  });
}

type ExternalStorage = Pick<BufferStorage, 'readBudget' | 'externalFiles'>;

function resolveBufferUri(
  uri: JsonNode,
  length: number,
  { readBudget, externalFiles }: ExternalStorage,
): ByteRegion {
  const bytes = externalFiles?.find(uri.string())?.bytes ?? parseDataUri(uri);
  if (bytes.length < length) {
    uri.fail('range', `has ${formatNumber(bytes.length)} bytes, fewer than its byteLength`);
  }
  return { reader: new BlockReader(createBufferReader(bytes), readBudget), offset: 0, length };
}

/**
 * Decodes the `data:` URI in a JSON value. The result is no longer than the JSON, which is bounded.
 *
 * @throws {Problem} design.unreadable
 */
export function parseDataUri(uri: JsonNode): Buffer {
  return decodeDataUri(uri.string()) ?? uri.fail('uri', 'is not a valid data: URI');
}

/** Reads the buffer views and counts what the compressed ones decode to. */
export function parseBufferViews(
  document: GltfDocument,
  buffers: GltfBuffer[],
  { scanner, budget }: { scanner: AccessorScanner; budget: Budget },
): GltfBufferView[] {
  return document.bufferViews.map((json: JsonNode) => {
    const length = json.get('byteLength').integer(1);
    const stride = json.find('byteStride')?.integer(1, 252);
    // The range of a compressed view is that of its fallback. It must be valid, too.
    const region = parseByteRange(json, buffers);

    const meshopt = findMeshoptExtension(json);
    if (meshopt !== undefined) {
      const compressedRegion = parseByteRange(meshopt, buffers) ?? failWithoutBytes(meshopt);
      const bytes = validateMeshopt(meshopt, {
        viewBytes: length,
        region: compressedRegion,
        limits: budget.limits,
      });
      budget.add('geometryBytes', bytes, meshopt);
      scanner.peek(compressedRegion, 1, (head) => validateMeshoptHeader(meshopt, head));
      return { json, length, byteStride: stride, region: undefined };
    }
    return { json, length, byteStride: stride, region: region ?? failWithoutBytes(json) };
  });
}

function findMeshoptExtension(json: JsonNode): JsonNode | undefined {
  return findExtension(json, 'EXT_meshopt_compression', 'KHR_meshopt_compression');
}

function failWithoutBytes(json: JsonNode): never {
  json.fail('buffer', 'refers to a buffer without data');
}

/** Reads `buffer`, `byteOffset` and `byteLength`. Undefined if the buffer has no bytes. */
function parseByteRange(json: JsonNode, buffers: GltfBuffer[]): ByteRegion | undefined {
  const buffer = json.get('buffer').resolveIndex(buffers, 'buffers');
  const offset = json.find('byteOffset')?.integer() ?? 0;
  const length = json.get('byteLength').integer(1);
  if (offset + length > buffer.length) {
    json.fail(
      'range',
      `ends at byte ${formatNumber(offset + length)}, but its buffer has ${formatNumber(buffer.length)}`,
    );
  }
  return buffer.region && { ...buffer.region, offset: buffer.region.offset + offset, length };
}
