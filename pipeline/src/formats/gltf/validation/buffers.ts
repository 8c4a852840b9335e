import { type Budget, formatNumber } from '../../../validation/budgets.ts';
import { type ByteReader, createBufferReader } from '../../../validation/byte-reader.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import { decodeDataUri } from '../data-uri.ts';
import type { AccessorScanner } from './accessor-scanner.ts';
import { BlockReader, type ByteRegion, type ReadBudget } from './block-reader.ts';
import type { GltfDocument } from './document.ts';
import { findExtension } from './extensions.ts';
import type { ExternalFiles } from './external-files.ts';
import type { ByteRange } from './glb-container.ts';
import { validateMeshopt, validateMeshoptHeader } from './meshopt.ts';

/** A buffer: where its bytes are. One that only stands for decompressed data has none. */
export type GltfBuffer = { readonly length: number; readonly region: ByteRegion | undefined };

/** A buffer view, or what one decompresses to. */
export type GltfBufferView = {
  readonly json: JsonNode;
  readonly length: number;
  /** Bytes from one element to the next, when the view says so. */
  readonly byteStride: number | undefined;
  /** Undefined when the bytes are compressed: nothing can be read of them here. */
  readonly region: ByteRegion | undefined;
};

/** The files as the buffers see them. */
export type BufferStorage = {
  readBudget: ReadBudget;
  glb: { file: ByteReader; bin: ByteRange | undefined } | undefined;
  externalFiles: ExternalFiles | undefined;
};

export function parseBuffers(document: GltfDocument, storage: BufferStorage): GltfBuffer[] {
  const { readBudget, glb, externalFiles } = storage;
  const reader = glb && new BlockReader(glb.file, readBudget);
  return document.buffers.map((part: JsonNode, index) => {
    const length = part.get('byteLength').integer(1);
    const uri = part.find('uri');
    if (uri !== undefined)
      return { length, region: resolveBufferUri(uri, length, { readBudget, externalFiles }) };
    if (findMeshoptExtension(part)?.find('fallback')?.boolean())
      return { length, region: undefined };

    const bin = glb?.bin;
    if (index > 0 || reader === undefined || bin === undefined) {
      part.fail('buffer', 'has no data: only the first buffer may lie in the BIN chunk of a GLB');
    }
    if (length > bin.length) {
      const has = formatNumber(bin.length);
      part.fail('range', `is ${formatNumber(length)} bytes long, but the BIN chunk has ${has}`);
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
    uri.fail('range', `holds ${formatNumber(bytes.length)} bytes, fewer than its byteLength`);
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

export function parseBufferViews(
  document: GltfDocument,
  buffers: GltfBuffer[],
  { scans, tally }: { scans: AccessorScanner; tally: Budget },
): GltfBufferView[] {
  return document.bufferViews.map((json: JsonNode) => {
    const length = json.get('byteLength').integer(1);
    const stride = json.find('byteStride')?.integer(1, 252);
    // With a compressed view, its own range is of a fallback that nobody reads; it must be sound too.
    const region = parseByteRange(json, buffers);

    const meshopt = findMeshoptExtension(json);
    if (meshopt !== undefined) {
      const packed = parseByteRange(meshopt, buffers) ?? failWithoutBytes(meshopt);
      const bytes = validateMeshopt(meshopt, {
        viewBytes: length,
        region: packed,
        limits: tally.limits,
      });
      tally.add('geometryBytes', bytes, meshopt);
      scans.peek(packed, 1, (head) => validateMeshoptHeader(meshopt, head));
      return { json, length, byteStride: stride, region: undefined };
    }
    return { json, length, byteStride: stride, region: region ?? failWithoutBytes(json) };
  });
}

function findMeshoptExtension(part: JsonNode): JsonNode | undefined {
  return findExtension(part, 'EXT_meshopt_compression', 'KHR_meshopt_compression');
}

function failWithoutBytes(part: JsonNode): never {
  part.fail('buffer', 'takes its bytes from a buffer that has none');
}

/** Reads `buffer`, `byteOffset` and `byteLength`; gives where that is, if the buffer has bytes. */
function parseByteRange(part: JsonNode, buffers: GltfBuffer[]): ByteRegion | undefined {
  const buffer = part.get('buffer').resolveIndex(buffers, 'buffers');
  const offset = part.find('byteOffset')?.integer() ?? 0;
  const length = part.get('byteLength').integer(1);
  if (offset + length > buffer.length) {
    part.fail(
      'range',
      `ends at byte ${formatNumber(offset + length)}, but its buffer has ${formatNumber(buffer.length)}`,
    );
  }
  return buffer.region && { ...buffer.region, offset: buffer.region.offset + offset, length };
}
