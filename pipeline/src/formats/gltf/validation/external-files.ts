/** A file beside a .gltf. */
export type ExternalFile = {
  /** Its first bytes: enough of an image to know its size. */
  head: Buffer;
  /** All of it, where the glTF takes it for a buffer. */
  bytes?: Buffer;
};

/** The files beside a .gltf, by the URI that names them. */
export type ExternalFiles = { find(uri: string): ExternalFile | undefined };
