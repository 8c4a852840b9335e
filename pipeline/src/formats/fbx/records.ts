const BINARY_SIGNATURE = 'Kaydara FBX Binary';
/** Versions from 7.5 have 64-bit offsets. */
const FIRST_64_BIT_VERSION = 7500;

/** Offset of the version number in a binary FBX. */
export const FBX_VERSION_OFFSET = 23;

/** Size of the header of a binary FBX; the first record follows it. */
export const FBX_HEADER_BYTES = 27;

/** The name and the offsets of one record in a binary FBX. */
export type FbxRecord = {
  name: string;
  endOffset: number;
  propertiesOffset: number;
  propertyCount: number;
  childrenOffset: number;
};

/** Whether the bytes start with the signature of a binary FBX; all other FBX files are ASCII. */
export function isBinaryFbx(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, BINARY_SIGNATURE.length) === BINARY_SIGNATURE;
}

/** Returns the size of each of the three numbers at the start of a record. */
export function getFbxOffsetBytes(version: number): 4 | 8 {
  return version >= FIRST_64_BIT_VERSION ? 8 : 4;
}

/**
 * Yields the child records of a record, or the top-level records of the file.
 *
 * Only for validated files: a record that does not fit ends the sequence without an error.
 */
export function* readFbxRecords(bytes: Buffer, parent?: FbxRecord): Generator<FbxRecord> {
  const limit = parent?.endOffset ?? bytes.length;
  const width = getFbxOffsetBytes(bytes.readUInt32LE(FBX_VERSION_OFFSET));
  const read = (offset: number) =>
    width === 8 ? Number(bytes.readBigUInt64LE(offset)) : bytes.readUInt32LE(offset);
  let offset = parent?.childrenOffset ?? FBX_HEADER_BYTES;
  while (offset + 3 * width + 1 <= limit) {
    const endOffset = read(offset);
    const nameLength = bytes.readUInt8(offset + 3 * width);
    const propertiesOffset = offset + 3 * width + 1 + nameLength;
    const childrenOffset = propertiesOffset + read(offset + 2 * width);
    if (endOffset <= offset || endOffset > limit || childrenOffset > endOffset) return;
    yield {
      name: bytes.toString('latin1', propertiesOffset - nameLength, propertiesOffset),
      endOffset,
      propertiesOffset,
      propertyCount: read(offset + width),
      childrenOffset,
    };
    offset = endOffset;
  }
}

const NUMBER_TYPES: {
  readonly [type: string]: { sizeBytes: number; read(bytes: Buffer, offset: number): number };
} = {
  I: { sizeBytes: 4, read: (bytes, offset) => bytes.readInt32LE(offset) },
  F: { sizeBytes: 4, read: (bytes, offset) => bytes.readFloatLE(offset) },
  D: { sizeBytes: 8, read: (bytes, offset) => bytes.readDoubleLE(offset) },
  L: { sizeBytes: 8, read: (bytes, offset) => Number(bytes.readBigInt64LE(offset)) },
};

/** Reads the properties of a record, up to the first that is neither a string nor a single number. */
export function readFbxProperties(
  bytes: Buffer,
  { propertiesOffset, propertyCount, childrenOffset }: FbxRecord,
): (string | number)[] {
  const values: (string | number)[] = [];
  let offset = propertiesOffset;
  while (values.length < propertyCount && offset < childrenOffset) {
    const type = bytes.toString('latin1', offset, offset + 1);
    const numberType = NUMBER_TYPES[type];
    offset += 1;
    if (type === 'S') {
      const end = offset + 4 + bytes.readUInt32LE(offset);
      values.push(bytes.toString('latin1', offset + 4, Math.min(end, childrenOffset)));
      offset = end;
    } else if (numberType !== undefined) {
      values.push(numberType.read(bytes, offset));
      offset += numberType.sizeBytes;
    } else return values;
  }
  return values;
}
