/**
 * The names of the files in which a worker sends the levels of a model.
 */

/** @param index the position of the geometry in the report, which is ascending by triangles */
export function toGeometryFile(index: number): string {
  return `geometry-${index}.glb`;
}

/** @param size of the texture pack, in the report */
export function toTexturePackFile(size: number): string {
  return `textures-${size}.glb`;
}
