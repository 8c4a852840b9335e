/** A mesh before it becomes a glTF primitive. Triangles are counter-clockwise seen from outside. */
export type MeshGeometry = {
  positions: Float32Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
  normals?: Float32Array<ArrayBuffer> | undefined;
  /** Linear red, green, blue and alpha, each from 0 to 65535. */
  colors?: Uint16Array<ArrayBuffer> | undefined;
  texCoords?: Float32Array<ArrayBuffer> | undefined;
};
