import { type Material, type Object3D, Texture } from 'three';

type RenderableObject = Object3D & {
  material?: Material | Material[];
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

/** Returns all textures of the materials of a model. */
export function collectTextures(root: Object3D): Set<Texture> {
  const textures = new Set<Texture>();
  root.traverse((object) => {
    for (const material of listMaterials(object)) {
      for (const value of Object.values(material))
        if (value instanceof Texture) textures.add(value);
    }
  });
  return textures;
}

function listMaterials(object: RenderableObject): Material[] {
  return object.material === undefined ? [] : [object.material].flat();
}
