/** A file of a dependency that the build copies next to the scripts; the import is its URL. */
declare module 'asset:*' {
  const url: string;
  export default url;
}

/** The prefiltered environment map, encoded by the build (renderer/environment-codec.ts). */
declare module 'virtual:environment' {
  export const encodedLevels: string;
  /** Edge length of the sharpest level, texels. */
  export const baseSize: number;
}
