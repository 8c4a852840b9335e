/** An external file of a .gltf. */
export type ExternalFile = {
  /** Its first bytes, which contain the size of an image. */
  head: Buffer;
  /** All its bytes, if the glTF uses it as a buffer. */
  bytes?: Buffer;
};

/** The external files of a .gltf, by URI. */
export type ExternalFiles = { find(uri: string): ExternalFile | undefined };
