import { Material, MeshStandardMaterial, type Object3D, Texture } from 'three';

type RenderableObject = Object3D & { material?: Material | Material[] };

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

/** Removes the textures that have no image from the materials of an object and of all that it contains. */
export function removeEmptyTextures(root: Object3D): void {
  root.traverse((object) => {
    for (const material of listMaterials(object)) {
      for (const [name, value] of Object.entries(material)) {
        if (!(value instanceof Texture) || value.image !== null) continue;
        Object.assign(material, { [name]: null });
        material.needsUpdate = true;
      }
    }
  });
}

/** Returns the materials of an object. */
export function listMaterials({ material }: RenderableObject): Material[] {
  return material === undefined ? [] : [material].flat();
}

/** Returns the materials of a model that reflect light, each once. */
export function listLitMaterials(root: Object3D): MeshStandardMaterial[] {
  const materials = new Set<MeshStandardMaterial>();
  root.traverse((object) => {
    for (const material of listMaterials(object))
      if (material instanceof MeshStandardMaterial) materials.add(material);
  });
  return [...materials];
}

/** Whether a model has materials with the shader of three.js, which samples the environment map. */
export function readsEnvironmentMap(root: Object3D): boolean {
  const { onBeforeCompile } = Material.prototype;
  return listLitMaterials(root).some((material) => material.onBeforeCompile === onBeforeCompile);
}
