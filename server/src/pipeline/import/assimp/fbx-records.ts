const BINARY = 'Kaydara FBX Binary';
const VERSION_AT = 23;
const HEAD_BYTES = 27;
/** Files from then on have offsets of 64 bits. */
const WIDE_VERSION = 7500;

/** A record of a binary FBX: where its values begin, where what is inside it begins, where it ends. */
export type FbxRecord = {
  name: string;
  end: number;
  values: number;
  count: number;
  inside: number;
};

export function isBinary(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, BINARY.length) === BINARY;
}

/** The records within one, or at the top of the file, until the empty one that ends a list. */
export function* readRecords(bytes: Buffer, within?: FbxRecord): Generator<FbxRecord> {
  const { inside: start, end: limit } = within ?? { inside: HEAD_BYTES, end: bytes.length };
  const width = bytes.readUInt32LE(VERSION_AT) >= WIDE_VERSION ? 8 : 4;
  const read = (at: number) =>
    width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);
  for (let at = start; at + 3 * width + 1 <= limit; ) {
    const end = read(at);
    const nameLength = bytes.readUInt8(at + 3 * width);
    const values = at + 3 * width + 1 + nameLength;
    const inside = values + read(at + 2 * width);
    if (end <= at || end > limit || inside > end) return;
    yield {
      name: bytes.toString('latin1', values - nameLength, values),
      end,
      values,
      count: read(at + width),
      inside,
    };
    at = end;
  }
}

/** The values of a record up to the first that is neither a string nor a single number. */
export function readValues(
  bytes: Buffer,
  { values, count, inside }: FbxRecord,
): (string | number)[] {
  const found: (string | number)[] = [];
  for (let at = values; found.length < count && at < inside; ) {
    const type = bytes.toString('latin1', at, at + 1);
    at += 1;
    if (type === 'S') {
      const length = bytes.readUInt32LE(at);
      found.push(bytes.toString('latin1', at + 4, Math.min(at + 4 + length, inside)));
      at += 4 + length;
    } else if (type === 'I') at = found.push(bytes.readInt32LE(at)) && at + 4;
    else if (type === 'D') at = found.push(bytes.readDoubleLE(at)) && at + 8;
    else if (type === 'F') at = found.push(bytes.readFloatLE(at)) && at + 4;
    else if (type === 'L') at = found.push(Number(bytes.readBigInt64LE(at))) && at + 8;
    else return found;
  }
  return found;
}
