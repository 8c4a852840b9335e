/** A file of a dependency, copied beside the scripts by the build; the import gives its address. */
declare module 'asset:*' {
  const address: string;
  export default address;
}

/** The prefiltered studio as text, made by the build (build/environment, renderer/environment-codec.ts). */
declare module 'virtual:environment' {
  export const encodedLevels: string;
  /** Edge of the sharpest level, texels. */
  export const baseSize: number;
}
