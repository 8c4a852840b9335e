import { Problem } from '@cloche/contract/problem';
import { grouped, type Limits, limit } from './limits.ts';
import { sniff } from './sniff.ts';
import type { Source } from './source.ts';

/** A stretch of the file. */
export type Stretch = { offset: number; length: number };

/** Where the two chunks of a GLB are. */
export type Container = { json: Stretch; bin?: Stretch };

const HEADER_BYTES = 12;
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
export async function readContainer(file: Source, limits: Limits): Promise<Container> {
  await checkHeader(file);
  const chunks = await readChunks(file);

  const [json, bin] = chunks;
  if (json?.type !== JSON_CHUNK) refuse('chunks', 'The first chunk of the GLB is not JSON');
  limit('jsonBytes', json.length, limits);
  // Readers differ in which of two they take, so what was checked might not be what is shown.
  const others = chunks.slice(bin?.type === BIN_CHUNK ? 2 : 1);
  if (others.some(({ type }) => type === JSON_CHUNK || type === BIN_CHUNK)) {
    refuse('chunks', 'The GLB has more than one JSON or BIN chunk, or has them out of order');
  }
  return bin?.type === BIN_CHUNK ? { json, bin } : { json };
}

async function checkHeader(file: Source): Promise<void> {
  if (file.size === 0) refuse('empty', 'The file is empty');
  const head = await file.read(0, Math.min(file.size, 512));
  if (head.toString('latin1', 0, 4) !== 'glTF') {
    const { kind, name } = sniff(head, file.size);
    unsupported(kind, `This looks like ${name}`);
  }
  if (file.size < HEADER_BYTES + CHUNK_HEADER_BYTES) {
    refuse('truncated', `The GLB ends after ${file.size} bytes, within its header`);
  }
  const version = head.readUInt32LE(4);
  if (version !== 2) unsupported('version', `This is a GLB of version ${version}`);

  const length = head.readUInt32LE(8);
  const says = `The GLB says it is ${grouped(length)} bytes long, but it has ${grouped(file.size)}`;
  if (length > file.size) refuse('truncated', `${says}: the end is missing`);
  if (length < file.size) refuse('trailing-bytes', says);
}

async function readChunks(file: Source): Promise<(Stretch & { type: number })[]> {
  const chunks = [];
  let at = HEADER_BYTES;
  while (at < file.size) {
    const what = `Chunk ${chunks.length} of the GLB, at byte ${at},`;
    if (chunks.length === MAX_CHUNKS) refuse('chunks', `The GLB has over ${MAX_CHUNKS} chunks`);
    // Only the last chunk may lack its padding: writers forget it there, and it harms nobody.
    if (at % 4 !== 0) refuse('chunks', `${what} does not start at a multiple of four`);
    if (at + CHUNK_HEADER_BYTES > file.size) refuse('truncated', `${what} has no whole header`);
    const header = await file.read(at, CHUNK_HEADER_BYTES);
    const offset = at + CHUNK_HEADER_BYTES;
    const length = header.readUInt32LE(0);
    if (offset + length > file.size) {
      refuse('truncated', `${what} says it is ${grouped(length)} bytes long, past the file's end`);
    }
    chunks.push({ type: header.readUInt32LE(4), offset, length });
    at = offset + length;
  }
  return chunks;
}

function refuse(reason: string, complaint: string): never {
  throw new Problem('design.unreadable', { detail: `${complaint}.`, reason });
}

function unsupported(reason: string, complaint: string): never {
  throw new Problem('design.unsupported', {
    detail: `${complaint}; it should be GLB (binary glTF 2.0).`,
    reason,
  });
}
