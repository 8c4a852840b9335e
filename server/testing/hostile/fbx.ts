import { deflateSync } from 'node:zlib';

/** A property of a record: its type as one letter, and its bytes as they are stored. */
export type FbxProperty = Buffer;

export type FbxRecord = {
  name: string;
  properties?: FbxProperty[];
  children?: FbxRecord[];
  /** Added to where it says that it ends. */
  endLie?: number;
};

const HEAD = 'Kaydara FBX Binary  \0\x1a\0';

/** Writes a binary FBX of version 7.4. */
export function fbx(records: readonly FbxRecord[]): Buffer {
  const head = Buffer.alloc(27);
  head.write(HEAD, 'latin1');
  head.writeUInt32LE(7400, 23);
  const pieces: Buffer[] = [head];
  let at = head.length;
  for (const record of records) {
    const bytes = write(record, at);
    pieces.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat([...pieces, Buffer.alloc(13 + 160)]);
}

function write(
  { name, properties = [], children = [], endLie = 0 }: FbxRecord,
  at: number,
): Buffer {
  const list = Buffer.concat(properties);
  const head = Buffer.alloc(13 + name.length);
  head.writeUInt32LE(properties.length, 4);
  head.writeUInt32LE(list.length, 8);
  head.writeUInt8(name.length, 12);
  head.write(name, 13, 'latin1');
  const pieces: Buffer[] = [head, list];
  let length = head.length + list.length;
  for (const child of children) {
    const bytes = write(child, at + length);
    pieces.push(bytes);
    length += bytes.length;
  }
  if (children.length > 0) {
    pieces.push(Buffer.alloc(13));
    length += 13;
  }
  head.writeUInt32LE((at + length + endLie) >>> 0, 0);
  return Buffer.concat(pieces, length);
}

export function text(value: string): FbxProperty {
  return raw(Buffer.from(value, 'latin1'), 'S');
}

export function raw(bytes: Buffer, type = 'R'): FbxProperty {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function id(value: number): FbxProperty {
  const property = Buffer.alloc(9);
  property.write('L', 'latin1');
  property.writeBigInt64LE(BigInt(value), 1);
  return property;
}

/** An array of doubles, deflated; `claim` is how many it says there are. */
export function doubles(values: readonly number[], claim = values.length): FbxProperty {
  return deflated(Buffer.from(new Float64Array(values).buffer), 'd', claim);
}

export function ints(values: readonly number[]): FbxProperty {
  return deflated(Buffer.from(new Int32Array(values).buffer), 'i', values.length);
}

export function deflated(bytes: Buffer, type: string, claim: number): FbxProperty {
  const packed = deflateSync(bytes);
  const head = Buffer.alloc(13);
  head.write(type, 'latin1');
  head.writeUInt32LE(claim, 1);
  head.writeUInt32LE(1, 5);
  head.writeUInt32LE(packed.length, 9);
  return Buffer.concat([head, packed]);
}

/** A scene: models by id, and what hangs on what, the child first. */
export function fbxScene(
  models: readonly number[],
  connections: readonly [child: number, parent: number][],
  more: readonly FbxRecord[] = [],
): Buffer {
  const geometry: FbxRecord = {
    name: 'Geometry',
    properties: [id(1), text('Box\0\x01Geometry'), text('Mesh')],
    children: [
      { name: 'Vertices', properties: [doubles([0, 0, 0, 1, 0, 0, 0, 1, 0])] },
      { name: 'PolygonVertexIndex', properties: [ints([0, 1, -3])] },
    ],
  };
  const objects = models.map((model) => ({
    name: 'Model',
    properties: [id(model), text('Box\0\x01Model'), text('Mesh')],
    children: [{ name: 'Version', properties: [raw(Buffer.from('232'), 'S')] }],
  }));
  const links = [[1, models[0] ?? 0], ...connections].map(([child = 0, parent = 0]) => ({
    name: 'C',
    properties: [text('OO'), id(child), id(parent)],
  }));
  return fbx([
    { name: 'FBXHeaderExtension', children: [{ name: 'FBXVersion', properties: [text('7400')] }] },
    { name: 'Objects', children: [geometry, ...objects, ...more] },
    { name: 'Connections', children: links },
  ]);
}
