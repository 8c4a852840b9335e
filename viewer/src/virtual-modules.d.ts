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
  /** Polynomials in the place of textures, for rough surfaces (renderer/polynomials.ts). */
  export const roughSurfaces: {
    /** The smallest roughness that they can show. */
    minRoughness: number;
    /** The last mip level of the environment map. */
    lastLevel: number;
    /** The coefficients of the prefiltered radiance for the smallest roughness. */
    radiance: readonly number[];
    /** As above, for a roughness of 1, which is also the irradiance. */
    irradiance: readonly number[];
    /** The coefficients of the part of the radiance that a dielectric reflects. */
    reflectance: readonly number[];
    /** The part of the irradiance that a dielectric reflects after several reflections in its surface. Nearly the same for all of them. */
    multipleReflectance: number;
  };
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
