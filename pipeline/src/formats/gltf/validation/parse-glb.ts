import { Problem } from '@cloche/contract/problem';
import { assertWithinLimit, formatNumber } from '../../../validation/budgets.ts';
import type { ByteReader } from '../../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import { throwUnreadable } from '../../../validation/unreadable.ts';

/** A range of bytes in the file. */
export type ChunkRange = { offset: number; length: number };

/** The ranges of the chunks of a GLB, without their headers. */
export type GlbContainer = { json: ChunkRange; bin?: ChunkRange };

const GLB_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
/** Unknown chunks are skipped. Exporters write one or two at most. */
const MAX_CHUNKS = 16;

/**
 * Reads the header of a GLB and those of its chunks.
 *
 * @throws {Problem} design.unsupported: another version; design.unreadable: another format, or
 *   invalid lengths; design.too-complex: the JSON is too long
 */
export async function parseGlbContainer(
  file: ByteReader,
  limits: ValidationLimits,
): Promise<GlbContainer> {
  await validateHeader(file);
  const chunks = await parseChunks(file);

  const [json, bin] = chunks;
  if (json?.type !== JSON_CHUNK)
    throwUnreadable('chunks', 'The first chunk of the GLB is not JSON');
  assertWithinLimit('jsonBytes', json.length, limits);
  // glTF libraries differ in which of two chunks they use, so it might not be the one validated here.
  const otherChunks = chunks.slice(bin?.type === BIN_CHUNK ? 2 : 1);
  if (otherChunks.some(({ type }) => type === JSON_CHUNK || type === BIN_CHUNK)) {
    throwUnreadable(
      'chunks',
      'The GLB has more than one JSON or BIN chunk, or has them out of order',
    );
  }
  return bin?.type === BIN_CHUNK ? { json, bin } : { json };
}

async function validateHeader(file: ByteReader): Promise<void> {
  if (file.size === 0) throwUnreadable('empty', 'The file is empty');
  const header = await file.read(0, Math.min(file.size, GLB_HEADER_BYTES));
  if (header.toString('latin1', 0, 4) !== 'glTF') {
    throwUnreadable('magic', 'The file does not start with "glTF", so it is not a GLB');
  }
  if (file.size < GLB_HEADER_BYTES + CHUNK_HEADER_BYTES) {
    throwUnreadable('truncated', `The GLB has only ${file.size} bytes: its header is incomplete`);
  }
  const version = header.readUInt32LE(4);
  if (version !== 2) throwUnsupportedVersion(version);

  const length = header.readUInt32LE(8);
  const mismatch = `The header of the GLB says ${formatNumber(length)} bytes, but the file has ${formatNumber(file.size)}`;
  if (length > file.size) throwUnreadable('truncated', `${mismatch}: its end is missing`);
  if (length < file.size) throwUnreadable('trailing-bytes', mismatch);
}

async function parseChunks(file: ByteReader): Promise<(ChunkRange & { type: number })[]> {
  const chunks = [];
  let offset = GLB_HEADER_BYTES;
  while (offset < file.size) {
    const chunk = `Chunk ${chunks.length} of the GLB, at byte ${offset},`;
    if (chunks.length === MAX_CHUNKS)
      throwUnreadable('chunks', `The GLB has more than ${MAX_CHUNKS} chunks`);
    // Only the last chunk may lack its padding, which some exporters omit.
    if (offset % 4 !== 0)
      throwUnreadable('chunks', `${chunk} does not start at a multiple of four`);
    if (offset + CHUNK_HEADER_BYTES > file.size)
      throwUnreadable('truncated', `${chunk} has an incomplete header`);
    const header = await file.read(offset, CHUNK_HEADER_BYTES);
    const dataOffset = offset + CHUNK_HEADER_BYTES;
    const length = header.readUInt32LE(0);
    if (dataOffset + length > file.size) {
      throwUnreadable(
        'truncated',
        `${chunk} has a length of ${formatNumber(length)} bytes, which is past the end of the file`,
      );
    }
    chunks.push({ type: header.readUInt32LE(4), offset: dataOffset, length });
    offset = dataOffset + length;
  }
  return chunks;
}

function throwUnsupportedVersion(version: number): never {
  throw new Problem('design.unsupported', {
    detail: `This is a GLB of version ${version}; export it as glTF 2.0.`,
    reason: 'version',
  });
}
