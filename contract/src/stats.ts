import type { Box } from './framed.ts';

/** What a model is made of, as `GET /v1/designs/{id}` tells it. */
export type Stats = {
  /** Bytes of the stored file. */
  bytes: number;
  /** Drawn triangles: a mesh used by two nodes counts twice. */
  triangles: number;
  /** Vertices stored: a mesh used by two nodes counts once. */
  vertices: number;
  nodes: number;
  meshes: number;
  materials: number;
  textures: number;
  animations: number;
  /** Material variants (KHR_materials_variants). */
  variants: number;
  /** The box the default scene fills, in metres, Y up; absent for a scene with nothing to draw. */
  bounds?: Box;
  /** glTF extensions the file uses, as it names them, sorted. */
  extensions: string[];
};
