/** A record of an FBX: its name, its texts and ids, and the records within it. */
export type FbxNodeTuple = [name: string, values: (string | number)[], parts?: FbxNodeTuple[]];

/** An FBX 7.4 in binary of those records. */
export function makeBinaryFbx(parts: readonly FbxNodeTuple[]): Buffer {
  const head = Buffer.alloc(27);
  head.write('Kaydara FBX Binary  ', 'latin1');
  head.writeUInt32LE(7400, 23);
  return Buffer.concat([head, encodeNodeList(parts, head.length)]);
}

function encodeNodeList(parts: readonly FbxNodeTuple[], start: number): Buffer {
  let at = start;
  const records = parts.map((part) => {
    const made = encodeNode(part, at);
    at += made.length;
    return made;
  });
  return Buffer.concat([...records, Buffer.alloc(13)]);
}

function encodeNode([name, values, parts]: FbxNodeTuple, start: number): Buffer {
  const data = Buffer.concat(values.map(encodeProperty));
  const head = Buffer.alloc(13 + name.length);
  const inside = parts ? encodeNodeList(parts, start + head.length + data.length) : Buffer.alloc(0);
  head.writeUInt32LE(start + head.length + data.length + inside.length, 0);
  head.writeUInt32LE(values.length, 4);
  head.writeUInt32LE(data.length, 8);
  head.writeUInt8(name.length, 12);
  head.write(name, 13, 'latin1');
  return Buffer.concat([head, data, inside]);
}

/** A number is an id of 64 bits. */
function encodeProperty(value: string | number): Buffer {
  const bytes = Buffer.alloc(typeof value === 'number' ? 9 : 5 + value.length);
  bytes.write(typeof value === 'number' ? 'L' : 'S', 'latin1');
  if (typeof value === 'number') bytes.writeBigInt64LE(BigInt(value), 1);
  else {
    bytes.writeUInt32LE(value.length, 1);
    bytes.write(value, 5, 'latin1');
  }
  return bytes;
}
