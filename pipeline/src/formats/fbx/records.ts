const BINARY_SIGNATURE = 'Kaydara FBX Binary';
const VERSION_OFFSET = 23;
const FBX_HEADER_BYTES = 27;
/** Files from then on have offsets of 64 bits. */
const FIRST_64_BIT_VERSION = 7500;

/** A record of a binary FBX: where its values begin, where what is inside it begins, where it ends. */
export type FbxRecordOffsets = {
  name: string;
  end: number;
  propertiesOffset: number;
  propertyCount: number;
  childrenOffset: number;
};

export function isBinaryFbx(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, BINARY_SIGNATURE.length) === BINARY_SIGNATURE;
}

/** The records within one, or at the top of the file, until the empty one that ends a list. */
export function* readFbxRecords(
  bytes: Buffer,
  within?: FbxRecordOffsets,
): Generator<FbxRecordOffsets> {
  const { childrenOffset: start, end: limit } = within ?? {
    childrenOffset: FBX_HEADER_BYTES,
    end: bytes.length,
  };
  const width = bytes.readUInt32LE(VERSION_OFFSET) >= FIRST_64_BIT_VERSION ? 8 : 4;
  const read = (at: number) =>
    width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);
  for (let at = start; at + 3 * width + 1 <= limit; ) {
    const end = read(at);
    const nameLength = bytes.readUInt8(at + 3 * width);
    const propertiesOffset = at + 3 * width + 1 + nameLength;
    const childrenOffset = propertiesOffset + read(at + 2 * width);
    if (end <= at || end > limit || childrenOffset > end) return;
    yield {
      name: bytes.toString('latin1', propertiesOffset - nameLength, propertiesOffset),
      end,
      propertiesOffset,
      propertyCount: read(at + width),
      childrenOffset,
    };
    at = end;
  }
}

/** The values of a record up to the first that is neither a string nor a single number. */
export function readFbxValues(
  bytes: Buffer,
  { propertiesOffset, propertyCount, childrenOffset }: FbxRecordOffsets,
): (string | number)[] {
  const found: (string | number)[] = [];
  for (let at = propertiesOffset; found.length < propertyCount && at < childrenOffset; ) {
    const type = bytes.toString('latin1', at, at + 1);
    at += 1;
    if (type === 'S') {
      const length = bytes.readUInt32LE(at);
      found.push(bytes.toString('latin1', at + 4, Math.min(at + 4 + length, childrenOffset)));
      at += 4 + length;
    } else if (type === 'I') at = found.push(bytes.readInt32LE(at)) && at + 4;
    else if (type === 'D') at = found.push(bytes.readDoubleLE(at)) && at + 8;
    else if (type === 'F') at = found.push(bytes.readFloatLE(at)) && at + 4;
    else if (type === 'L') at = found.push(Number(bytes.readBigInt64LE(at))) && at + 8;
    else return found;
  }
  return found;
}
