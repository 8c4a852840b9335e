/** A file of a dependency, copied beside the scripts by the build; the import gives its address. */
declare module 'asset:*' {
  const address: string;
  export default address;
}

/** The prefiltered studio as text, made by the build (viewer/light, light-code.ts). */
declare module 'studio:light' {
  export const text: string;
  /** Edge of the sharpest level, texels. */
  export const size: number;
}
