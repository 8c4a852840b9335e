/** A mesh as a reader holds it: corners counter-clockwise seen from outside. */
export type Geometry = {
  positions: Float32Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
  normals?: Float32Array<ArrayBuffer> | undefined;
  /** Linear red, green, blue, alpha, each 0 to 65535. */
  colours?: Uint16Array<ArrayBuffer> | undefined;
  coordinates?: Float32Array<ArrayBuffer> | undefined;
};
