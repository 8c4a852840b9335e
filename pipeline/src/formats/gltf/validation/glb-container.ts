import { Problem } from '@cloche/contract/problem';
import { assertWithinLimit, formatNumber } from '../../../validation/budgets.ts';
import type { ByteReader } from '../../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';

/** A stretch of the file. */
export type ByteRange = { offset: number; length: number };

/** Where the two chunks of a GLB are. */
export type GlbContainer = { json: ByteRange; bin?: ByteRange };

const GLB_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
/** Unknown chunks are allowed and skipped; no writer makes more than one or two. */
const MAX_CHUNKS = 16;

/**
 * Reads the frame of a GLB: header and chunk headers, nothing of what is in them.
 *
 * @throws {Problem} design.unsupported when the bytes are of another format; design.unreadable when
 *   lengths lie; design.too-complex when the JSON is too long
 */
export async function parseGlbContainer(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<GlbContainer> {
  await validateHeader(file);
  const chunks = await parseChunks(file);

  const [json, bin] = chunks;
  if (json?.type !== JSON_CHUNK) throwBrokenGlb('chunks', 'The first chunk of the GLB is not JSON');
  assertWithinLimit('jsonBytes', json.length, limits);
  // Readers differ in which of two they take, so what was checked might not be what is shown.
  const others = chunks.slice(bin?.type === BIN_CHUNK ? 2 : 1);
  if (others.some(({ type }) => type === JSON_CHUNK || type === BIN_CHUNK)) {
    throwBrokenGlb(
      'chunks',
      'The GLB has more than one JSON or BIN chunk, or has them out of order',
    );
  }
  return bin?.type === BIN_CHUNK ? { json, bin } : { json };
}

async function validateHeader(file: ByteReader): Promise<void> {
  if (file.size === 0) throwBrokenGlb('empty', 'The file is empty');
  const head = await file.read(0, Math.min(file.size, GLB_HEADER_BYTES));
  if (head.toString('latin1', 0, 4) !== 'glTF') {
    throwBrokenGlb('magic', 'The file does not start with "glTF", so it is not a GLB');
  }
  if (file.size < GLB_HEADER_BYTES + CHUNK_HEADER_BYTES) {
    throwBrokenGlb('truncated', `The GLB ends after ${file.size} bytes, within its header`);
  }
  const version = head.readUInt32LE(4);
  if (version !== 2) throwNotGlb('version', `This is a GLB of version ${version}`);

  const length = head.readUInt32LE(8);
  const says = `The GLB says it is ${formatNumber(length)} bytes long, but it has ${formatNumber(file.size)}`;
  if (length > file.size) throwBrokenGlb('truncated', `${says}: the end is missing`);
  if (length < file.size) throwBrokenGlb('trailing-bytes', says);
}

async function parseChunks(file: ByteReader): Promise<(ByteRange & { type: number })[]> {
  const chunks = [];
  let at = GLB_HEADER_BYTES;
  while (at < file.size) {
    const what = `Chunk ${chunks.length} of the GLB, at byte ${at},`;
    if (chunks.length === MAX_CHUNKS)
      throwBrokenGlb('chunks', `The GLB has over ${MAX_CHUNKS} chunks`);
    // Only the last chunk may lack its padding: writers forget it there, and it harms nobody.
    if (at % 4 !== 0) throwBrokenGlb('chunks', `${what} does not start at a multiple of four`);
    if (at + CHUNK_HEADER_BYTES > file.size)
      throwBrokenGlb('truncated', `${what} has no whole header`);
    const header = await file.read(at, CHUNK_HEADER_BYTES);
    const offset = at + CHUNK_HEADER_BYTES;
    const length = header.readUInt32LE(0);
    if (offset + length > file.size) {
      throwBrokenGlb(
        'truncated',
        `${what} says it is ${formatNumber(length)} bytes long, past the file's end`,
      );
    }
    chunks.push({ type: header.readUInt32LE(4), offset, length });
    at = offset + length;
  }
  return chunks;
}

function throwBrokenGlb(reason: string, complaint: string): never {
  throw new Problem('design.unreadable', { detail: `${complaint}.`, reason });
}

function throwNotGlb(reason: string, complaint: string): never {
  throw new Problem('design.unsupported', {
    detail: `${complaint}; it should be GLB (binary glTF 2.0).`,
    reason,
  });
}
