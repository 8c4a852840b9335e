import type { Object3D } from 'three';
import { collectTextures, listMaterials } from './model-materials.ts';

type RenderableObject = Object3D & {
  geometry?: { dispose(): void };
  skeleton?: { dispose(): void };
};

/** Frees the memory of a model that is no longer shown. */
export function disposeModel(root: Object3D): void {
  for (const texture of collectTextures(root)) {
    texture.dispose();
    if (texture.image instanceof ImageBitmap) texture.image.close();
  }
  root.traverse((object: RenderableObject) => {
    object.geometry?.dispose();
    for (const material of listMaterials(object)) material.dispose();
    object.skeleton?.dispose();
  });
}
