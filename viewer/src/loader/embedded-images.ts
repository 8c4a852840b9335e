import type { WebGLRenderer } from 'three';
import { collectTextures } from '../scene/model-materials.ts';
import { closeImage } from './image-memory.ts';
import type { LoadedModel } from './prepare-model.ts';

/** Frees the decoded images inside the file of a model, which the GPU has now. The encoded ones are kept. */
export function releaseEmbeddedImages(model: LoadedModel, renderer: WebGLRenderer): void {
  const textures = listTextures(model);
  for (const texture of textures) renderer.initTexture(texture);
  for (const { source } of textures) closeImage(source);
}

/** Decodes the images again, for a new WebGL context. Undefined if they were not freed. */
export function restoreEmbeddedImages(model: LoadedModel): Promise<unknown> | undefined {
  const { images, decode } = model.encodedImages ?? { images: [] };
  const released = [...images].filter(([source]) => !source.dataReady);
  if (released.length === 0) return undefined;
  const restored = released.map(async ([source, image]) => {
    source.data = (await decode?.(image))?.source.data;
    source.dataReady = true;
  });
  // If an image cannot be decoded again, the model is shown without it.
  return Promise.allSettled(restored).then(() => {
    for (const texture of listTextures(model)) texture.needsUpdate = true;
  });
}

function listTextures({ root, encodedImages }: LoadedModel) {
  return [...collectTextures(root)].filter(({ source }) => encodedImages?.images.has(source));
}
