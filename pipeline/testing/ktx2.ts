/** Creates the header of a KTX2 of 4 × 4 pixels, with the declared size of its first level. */
export function makeKtx2Header(levelCount: number, uncompressedBytes: bigint): Buffer {
  const header = Buffer.alloc(80 + 24 + 16);
  header.write('\xabKTX 20\xbb\r\n\x1a\n', 'latin1');
  header.writeUInt32LE(4, 20);
  header.writeUInt32LE(4, 24);
  header.writeUInt32LE(1, 36);
  header.writeUInt32LE(levelCount, 40);
  header.writeBigUInt64LE(uncompressedBytes, 80 + 16);
  return header;
}
