type TexturePackJson = {
  images: { bufferView: number; mimeType: string }[];
  bufferViews: { byteOffset?: number; byteLength: number }[];
};

/** The length of the JSON chunk; the header of the file and of that chunk; the header of the second chunk. */
const [JSON_LENGTH_OFFSET, JSON_OFFSET, CHUNK_HEADER_BYTES] = [12, 20, 8];

/**
 * Reads the encoded images of a texture pack, a GLB.
 *
 * @throws {Error} the file is damaged
 */
export function readTexturePack(file: ArrayBuffer): Blob[] {
  const jsonLength = new DataView(file).getUint32(JSON_LENGTH_OFFSET, true);
  const json = new TextDecoder().decode(new Uint8Array(file, JSON_OFFSET, jsonLength));
  const { images, bufferViews } = JSON.parse(json) as TexturePackJson;
  const binOffset = JSON_OFFSET + jsonLength + CHUNK_HEADER_BYTES;
  return images.map(({ bufferView, mimeType: type }) => {
    const { byteOffset = 0, byteLength } = bufferViews[bufferView] ?? { byteLength: 0 };
    // Throws if the image is not within the file.
    return new Blob([new Uint8Array(file, binOffset + byteOffset, byteLength)], { type });
  });
}
