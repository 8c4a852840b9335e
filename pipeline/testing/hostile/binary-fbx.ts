import { deflateSync } from 'node:zlib';

/** A property of a record: its type as one letter, and its bytes as they are stored. */
export type EncodedFbxProperty = Buffer;

export type FbxNodeInput = {
  name: string;
  properties?: EncodedFbxProperty[];
  children?: FbxNodeInput[];
  /** Added to where it says that it ends. */
  endOffsetError?: number;
};

const FBX_MAGIC = 'Kaydara FBX Binary  \0\x1a\0';

/** Writes a binary FBX of version 7.4. */
export function encodeBinaryFbx(records: readonly FbxNodeInput[]): Buffer {
  const head = Buffer.alloc(27);
  head.write(FBX_MAGIC, 'latin1');
  head.writeUInt32LE(7400, 23);
  const pieces: Buffer[] = [head];
  let at = head.length;
  for (const record of records) {
    const bytes = encodeFbxNode(record, at);
    pieces.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat([...pieces, Buffer.alloc(13 + 160)]);
}

function encodeFbxNode(
  { name, properties = [], children = [], endOffsetError = 0 }: FbxNodeInput,
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
    const bytes = encodeFbxNode(child, at + length);
    pieces.push(bytes);
    length += bytes.length;
  }
  if (children.length > 0) {
    pieces.push(Buffer.alloc(13));
    length += 13;
  }
  head.writeUInt32LE((at + length + endOffsetError) >>> 0, 0);
  return Buffer.concat(pieces, length);
}

export function fbxString(value: string): EncodedFbxProperty {
  return fbxRawBytes(Buffer.from(value, 'latin1'), 'S');
}

export function fbxRawBytes(bytes: Buffer, type = 'R'): EncodedFbxProperty {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function fbxInt64(value: number): EncodedFbxProperty {
  const property = Buffer.alloc(9);
  property.write('L', 'latin1');
  property.writeBigInt64LE(BigInt(value), 1);
  return property;
}

/** An array of doubles, deflated; `claim` is how many it says there are. */
export function fbxDoubleArray(
  values: readonly number[],
  claim = values.length,
): EncodedFbxProperty {
  return fbxDeflatedArray(Buffer.from(new Float64Array(values).buffer), 'd', claim);
}

export function fbxInt32Array(values: readonly number[]): EncodedFbxProperty {
  return fbxDeflatedArray(Buffer.from(new Int32Array(values).buffer), 'i', values.length);
}

export function fbxDeflatedArray(bytes: Buffer, type: string, claim: number): EncodedFbxProperty {
  const packed = deflateSync(bytes);
  const head = Buffer.alloc(13);
  head.write(type, 'latin1');
  head.writeUInt32LE(claim, 1);
  head.writeUInt32LE(1, 5);
  head.writeUInt32LE(packed.length, 9);
  return Buffer.concat([head, packed]);
}

/** A scene: models by id, and what hangs on what, the child first. */
export function makeBinaryFbxScene(
  models: readonly number[],
  connections: readonly [child: number, parent: number][],
  more: readonly FbxNodeInput[] = [],
): Buffer {
  const geometry: FbxNodeInput = {
    name: 'Geometry',
    properties: [fbxInt64(1), fbxString('Box\0\x01Geometry'), fbxString('Mesh')],
    children: [
      { name: 'Vertices', properties: [fbxDoubleArray([0, 0, 0, 1, 0, 0, 0, 1, 0])] },
      { name: 'PolygonVertexIndex', properties: [fbxInt32Array([0, 1, -3])] },
    ],
  };
  const objects = models.map((model) => ({
    name: 'Model',
    properties: [fbxInt64(model), fbxString('Box\0\x01Model'), fbxString('Mesh')],
    children: [{ name: 'Version', properties: [fbxRawBytes(Buffer.from('232'), 'S')] }],
  }));
  const links = [[1, models[0] ?? 0], ...connections].map(([child = 0, parent = 0]) => ({
    name: 'C',
    properties: [fbxString('OO'), fbxInt64(child), fbxInt64(parent)],
  }));
  return encodeBinaryFbx([
    {
      name: 'FBXHeaderExtension',
      children: [{ name: 'FBXVersion', properties: [fbxString('7400')] }],
    },
    { name: 'Objects', children: [geometry, ...objects, ...more] },
    { name: 'Connections', children: links },
  ]);
}
