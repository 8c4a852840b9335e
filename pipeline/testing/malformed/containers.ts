import { makeBox, makeGlb, makeGlbChunk } from '../models.ts';
import { makePng } from '../png.ts';
import type { MalformedFile } from './malformed-file.ts';

const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** Files of other formats, invalid headers and invalid JSON. */
export function* generateMalformedContainers(): Iterable<MalformedFile> {
  const box = makeBox();
  yield {
    name: 'a GLB of version 1',
    bytes: withUint32(box, 4, 1),
    code: 'design.unsupported',
    reason: 'version',
  };

  const invalidContainer = (name: string, reason: string, bytes: Buffer): MalformedFile => ({
    name,
    bytes,
    code: 'design.unreadable',
    reason,
  });
  yield invalidContainer(
    'another format: OBJ',
    'magic',
    Buffer.from('# a comment\nmtllib a.mtl\nv 1 2 3\n'),
  );
  yield invalidContainer('another format: PNG', 'magic', makePng(1, 1, [0, 0, 0]));
  yield invalidContainer('an empty file', 'empty', Buffer.alloc(0));
  yield invalidContainer('four bytes of a GLB', 'truncated', box.subarray(0, 4));
  yield invalidContainer('only a header', 'truncated', withUint32(box.subarray(0, 12), 8, 12));
  yield invalidContainer('half a GLB', 'truncated', box.subarray(0, box.length / 2));
  yield invalidContainer(
    'half a GLB with its actual length in the header',
    'truncated',
    withActualLength(box.subarray(0, box.length - 400)),
  );
  yield invalidContainer('a length beyond the end', 'truncated', withUint32(box, 8, 0xffffffff));
  yield invalidContainer(
    'bytes after the end',
    'trailing-bytes',
    Buffer.concat([box, Buffer.alloc(8)]),
  );
  yield invalidContainer('a chunk beyond the end', 'truncated', withUint32(box, 12, 0xfffffff0));
  yield invalidContainer(
    'a chunk that is not aligned',
    'chunks',
    withActualLength(Buffer.concat([misalignedChunk(), box.subarray(12)])),
  );
  yield invalidContainer('a BIN chunk first', 'chunks', withUint32(box, 16, BIN_CHUNK));
  yield invalidContainer(
    'a second JSON chunk',
    'chunks',
    appendBytes(box, makeGlbChunk(JSON_CHUNK, Buffer.from('{}'), 32)),
  );
  yield invalidContainer(
    'a second BIN chunk',
    'chunks',
    appendBytes(box, makeGlbChunk(BIN_CHUNK, Buffer.alloc(4), 0)),
  );
  yield invalidContainer(
    'a million empty chunks',
    'chunks',
    appendBytes(box, Buffer.alloc(8_000_000)),
  );

  const json = (name: string, reason: string, text: string | Buffer): MalformedFile =>
    invalidContainer(name, reason, makeGlb({ json: text }));
  const asset = '"asset":{"version":"2.0"}';
  yield json('truncated JSON', 'json', `{${asset}`);
  yield json('an empty JSON chunk', 'json', '');
  yield json('JSON padded with zeros', 'json', `{${asset}}\0\0\0`);
  yield json('JSON that is not UTF-8', 'utf-8', Buffer.from(`{${asset},"x":"\xff"}`, 'latin1'));
  yield json('an array as JSON', 'type', '[]');
  yield json('null as JSON', 'type', 'null');
  yield json('no asset', 'missing', '{}');
  yield json('version 1.0', 'version', '{"asset":{"version":"1.0"}}');
  yield json('version 3.0', 'version', '{"asset":{"version":"3.0"}}');
  yield json('a version that is a number', 'type', '{"asset":{"version":2}}');
  yield json('minVersion 2.1', 'version', '{"asset":{"version":"2.1","minVersion":"2.1"}}');
  yield json('a duplicate key', 'duplicate-key', `{${asset},"nodes":[],"nodes":[{}]}`);
  yield json('a duplicate key, once escaped', 'duplicate-key', `{${asset},"\\u0061sset":{}}`);
  yield json('__proto__', 'proto-key', `{${asset},"nodes":[{"__proto__":{"mesh":0}}]}`);
  yield json('__proto__ in extras', 'proto-key', `{${asset},"extras":{"__proto__":{}}}`);
  yield json(
    'an infinite number',
    'not-finite',
    `{${asset},"nodes":[{"translation":[0,1e999,0]}]}`,
  );
}

/** Writes the file's actual length into its header. */
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

/** A GLB header and a JSON chunk of 13 bytes, so that the next one is not aligned. */
function misalignedChunk(): Buffer {
  const chunk = makeGlbChunk(JSON_CHUNK, Buffer.alloc(13, '{"asset":{} }'), 0x20).subarray(0, 21);
  return Buffer.concat([makeBox().subarray(0, 12), withUint32(chunk, 0, 13)]);
}
