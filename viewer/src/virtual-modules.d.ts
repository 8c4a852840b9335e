/** A file of a dependency. The build copies it to the folder of the scripts. */
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

/** The minified style sheet src/ui/toolbar.css. It is not in the framed document, which is smaller without it. */
declare module 'virtual:toolbar-styles' {
  const styles: string;
  export default styles;
}

/** The minified style sheet page/themes.css. */
declare module 'virtual:theme-styles' {
  const styles: string;
  export default styles;
}
