import { makeBox, makeGlb, makeGlbChunk } from '../models.ts';
import { makePng } from '../png.ts';
import type { MalformedFile } from './malformed-file.ts';

const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** Files of other formats, frames that lie, and JSON that is none. */
export function* generateMalformedContainers(): Iterable<MalformedFile> {
  const box = makeBox();
  yield {
    name: 'a GLB of version 1',
    bytes: withUint32(box, 4, 1),
    code: 'design.unsupported',
    reason: 'version',
  };

  const frame = (name: string, reason: string, bytes: Buffer): MalformedFile => ({
    name,
    bytes,
    code: 'design.unreadable',
    reason,
  });
  yield frame('another format: OBJ', 'magic', Buffer.from('# a comment\nmtllib a.mtl\nv 1 2 3\n'));
  yield frame('another format: PNG', 'magic', makePng(1, 1, [0, 0, 0]));
  yield frame('an empty file', 'empty', Buffer.alloc(0));
  yield frame('four bytes of a GLB', 'truncated', box.subarray(0, 4));
  yield frame('a header alone', 'truncated', withUint32(box.subarray(0, 12), 8, 12));
  yield frame('half a GLB', 'truncated', box.subarray(0, box.length / 2));
  yield frame(
    'half a GLB that says so',
    'truncated',
    withActualLength(box.subarray(0, box.length - 400)),
  );
  yield frame('a length beyond the end', 'truncated', withUint32(box, 8, 0xffffffff));
  yield frame('bytes after the end', 'trailing-bytes', Buffer.concat([box, Buffer.alloc(8)]));
  yield frame('a chunk beyond the end', 'truncated', withUint32(box, 12, 0xfffffff0));
  yield frame(
    'a chunk off its place',
    'chunks',
    withActualLength(Buffer.concat([misalignedChunk(), box.subarray(12)])),
  );
  yield frame('a BIN chunk first', 'chunks', withUint32(box, 16, BIN_CHUNK));
  yield frame(
    'a second JSON chunk',
    'chunks',
    appendBytes(box, makeGlbChunk(JSON_CHUNK, Buffer.from('{}'), 32)),
  );
  yield frame(
    'a second BIN chunk',
    'chunks',
    appendBytes(box, makeGlbChunk(BIN_CHUNK, Buffer.alloc(4), 0)),
  );
  yield frame('a million empty chunks', 'chunks', appendBytes(box, Buffer.alloc(8_000_000)));

  const json = (name: string, reason: string, text: string | Buffer): MalformedFile =>
    frame(name, reason, makeGlb({ json: text }));
  const asset = '"asset":{"version":"2.0"}';
  yield json('JSON cut short', 'json', `{${asset}`);
  yield json('an empty JSON chunk', 'json', '');
  yield json('JSON padded with zeros', 'json', `{${asset}}\0\0\0`);
  yield json('JSON that is not UTF-8', 'utf-8', Buffer.from(`{${asset},"x":"\xff"}`, 'latin1'));
  yield json('a list for JSON', 'type', '[]');
  yield json('null for JSON', 'type', 'null');
  yield json('no asset', 'missing', '{}');
  yield json('version 1.0', 'version', '{"asset":{"version":"1.0"}}');
  yield json('version 3.0', 'version', '{"asset":{"version":"3.0"}}');
  yield json('a version that is a number', 'type', '{"asset":{"version":2}}');
  yield json('minVersion 2.1', 'version', '{"asset":{"version":"2.1","minVersion":"2.1"}}');
  yield json('a key twice', 'duplicate-key', `{${asset},"nodes":[],"nodes":[{}]}`);
  yield json('a key twice, once escaped', 'duplicate-key', `{${asset},"\\u0061sset":{}}`);
  yield json('__proto__', 'proto-key', `{${asset},"nodes":[{"__proto__":{"mesh":0}}]}`);
  yield json('__proto__ in extras', 'proto-key', `{${asset},"extras":{"__proto__":{}}}`);
  yield json(
    'an infinite number',
    'not-finite',
    `{${asset},"nodes":[{"translation":[0,1e999,0]}]}`,
  );
}

/** Writes the file's true length into its header. */
function withActualLength(glb: Buffer): Buffer {
  return withUint32(glb, 8, glb.length);
}

function appendBytes(glb: Buffer, bytes: Buffer): Buffer {
  return withActualLength(Buffer.concat([glb, bytes]));
}

function withUint32(bytes: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, offset);
  return copy;
}

/** A GLB header and a JSON chunk of 13 bytes, so that the next one starts at an odd place. */
function misalignedChunk(): Buffer {
  const odd = makeGlbChunk(JSON_CHUNK, Buffer.alloc(13, '{"asset":{} }'), 0x20).subarray(0, 21);
  return Buffer.concat([makeBox().subarray(0, 12), withUint32(odd, 0, 13)]);
}
