import { type Material, type Object3D, Scene, Texture } from 'three';
import type { SceneRenderer } from './scene-renderer.ts';

type RenderableObject = Object3D & {
  material?: Material | Material[];
  geometry?: { dispose(): void };
};

/**
 * Makes a model ready to be drawn while another is on stage: its shaders are compiled and its
 * textures uploaded, one at a time, so that neither the hand nor the frame of its entrance waits.
 */
export async function precompile(
  root: Object3D,
  { renderer, scene, camera }: SceneRenderer,
): Promise<void> {
  // Alone: the lamps of what is on stage will be gone by then, and their number is in the shaders.
  const wings = new Scene();
  wings.environment = scene.environment;
  wings.add(root);
  root.updateWorldMatrix(true, true);
  // Where nobody can tell whether a shader is ready, three.js would only complain of that.
  if (renderer.extensions.has('KHR_parallel_shader_compile')) {
    await renderer.compileAsync(wings, camera);
  } else {
    renderer.compile(wings, camera);
  }
  for (const texture of collectTextures(root)) {
    renderer.initTexture(texture);
    await yieldToEventLoop();
  }
  wings.remove(root);
}

/** Gives back what a model held that has left the stage. */
export function disposeModel(root: Object3D): void {
  for (const texture of collectTextures(root)) {
    texture.dispose();
    if (texture.image instanceof ImageBitmap) texture.image.close();
  }
  root.traverse((object) => {
    const { geometry } = object as RenderableObject;
    geometry?.dispose();
    for (const material of listMaterials(object)) material.dispose();
    (object as { skeleton?: { dispose(): void } }).skeleton?.dispose();
  });
}

function collectTextures(root: Object3D): Set<Texture> {
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

/** Not a timer: those of pages out of sight are held back for a second each. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
