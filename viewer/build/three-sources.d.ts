/** Of the sources of three.js, whose types are not published. */
declare module 'three/src/renderers/shaders/DFGLUTData.js' {
  import type { DataTexture } from 'three';
  /** The scale in the first channel, the bias in the second one: half floats. Roughness from left to right, cosine in rows. */
  export function getDFGLUT(): DataTexture;
}
