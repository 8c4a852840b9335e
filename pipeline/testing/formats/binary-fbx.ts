import { deflateSync } from 'node:zlib';

/** A property of a node as stored: a letter for its type, then its value. */
export type EncodedFbxProperty = Buffer;

/** A node to encode, with its children. */
export type FbxNodeInput = {
  name: string;
  properties?: EncodedFbxProperty[];
  children?: FbxNodeInput[];
  /** Added to the end offset in its header. */
  endOffsetError?: number;
};

const FBX_MAGIC = 'Kaydara FBX Binary  \0\x1a\0';

/** Encodes nodes as a binary FBX 7.4. */
export function encodeBinaryFbx(nodes: readonly FbxNodeInput[]): Buffer {
  const head = Buffer.alloc(27);
  head.write(FBX_MAGIC, 'latin1');
  head.writeUInt32LE(7400, 23);
  const pieces: Buffer[] = [head];
  let offset = head.length;
  for (const node of nodes) {
    const bytes = encodeFbxNode(node, offset);
    pieces.push(bytes);
    offset += bytes.length;
  }
  return Buffer.concat([...pieces, Buffer.alloc(13 + 160)]);
}

function encodeFbxNode(
  { name, properties = [], children = [], endOffsetError = 0 }: FbxNodeInput,
  offset: number,
): Buffer {
  const propertyList = Buffer.concat(properties);
  const head = Buffer.alloc(13 + name.length);
  head.writeUInt32LE(properties.length, 4);
  head.writeUInt32LE(propertyList.length, 8);
  head.writeUInt8(name.length, 12);
  head.write(name, 13, 'latin1');
  const pieces: Buffer[] = [head, propertyList];
  let length = head.length + propertyList.length;
  for (const child of children) {
    const bytes = encodeFbxNode(child, offset + length);
    pieces.push(bytes);
    length += bytes.length;
  }
  if (children.length > 0) {
    pieces.push(Buffer.alloc(13));
    length += 13;
  }
  head.writeUInt32LE((offset + length + endOffsetError) >>> 0, 0);
  return Buffer.concat(pieces, length);
}

/** Encodes a string property. */
export function fbxString(value: string): EncodedFbxProperty {
  return fbxRawBytes(Buffer.from(value, 'latin1'), 'S');
}

/** Encodes a property of raw bytes, or of another type with a length. */
export function fbxRawBytes(bytes: Buffer, type = 'R'): EncodedFbxProperty {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Encodes a 64-bit integer, such as the id of an object. */
export function fbxInt64(value: number): EncodedFbxProperty {
  const property = Buffer.alloc(9);
  property.write('L', 'latin1');
  property.writeBigInt64LE(BigInt(value), 1);
  return property;
}

/** Encodes a deflated array of doubles; `claimedLength` is the length in its header. */
export function fbxDoubleArray(
  values: readonly number[],
  claimedLength = values.length,
): EncodedFbxProperty {
  return fbxDeflatedArray(Buffer.from(new Float64Array(values).buffer), 'd', claimedLength);
}

/** Encodes a deflated array of 32-bit integers. */
export function fbxInt32Array(values: readonly number[]): EncodedFbxProperty {
  return fbxDeflatedArray(Buffer.from(new Int32Array(values).buffer), 'i', values.length);
}

/** Encodes a deflated array of any type. */
export function fbxDeflatedArray(
  bytes: Buffer,
  type: string,
  claimedLength: number,
): EncodedFbxProperty {
  const deflated = deflateSync(bytes);
  const head = Buffer.alloc(13);
  head.write(type, 'latin1');
  head.writeUInt32LE(claimedLength, 1);
  head.writeUInt32LE(1, 5);
  head.writeUInt32LE(deflated.length, 9);
  return Buffer.concat([head, deflated]);
}

const TRIANGLE: FbxNodeInput[] = [
  { name: 'Vertices', properties: [fbxDoubleArray([0, 0, 0, 1, 0, 0, 0, 1, 0])] },
  { name: 'PolygonVertexIndex', properties: [fbxInt32Array([0, 1, -3])] },
];

/** Creates a scene: models by id, connections between them, and more objects. */
export function makeBinaryFbxScene(
  models: readonly number[],
  connections: readonly [child: number, parent: number][],
  moreObjects: readonly FbxNodeInput[] = [],
  meshArrays: FbxNodeInput[] = TRIANGLE,
): Buffer {
  const geometry: FbxNodeInput = {
    name: 'Geometry',
    properties: [fbxInt64(1), fbxString('Box\0\x01Geometry'), fbxString('Mesh')],
    children: meshArrays,
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
    { name: 'Objects', children: [geometry, ...objects, ...moreObjects] },
    { name: 'Connections', children: links },
  ]);
}
