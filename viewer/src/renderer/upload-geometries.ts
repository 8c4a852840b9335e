import {
  type BufferGeometry,
  Camera,
  Mesh,
  MeshBasicMaterial,
  Scene,
  WebGLRenderTarget,
} from 'three';
import { yieldToEventLoop } from './precompile.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/**
 * Uploads geometries, one per task, before they are shown. three.js uploads what it draws, so one triangle of each is drawn
 * to a picture of one pixel.
 *
 * @param assertActive throws if the geometries must not be uploaded any more; then those that were are freed
 */
export async function uploadGeometries(
  geometries: Iterable<BufferGeometry>,
  { webGLRenderer }: SceneRenderer,
  assertActive: () => void,
): Promise<void> {
  const target = new WebGLRenderTarget(1, 1);
  const material = new MeshBasicMaterial();
  const scene = new Scene();
  const uploaded: BufferGeometry[] = [];
  try {
    for (const geometry of geometries) {
      await yieldToEventLoop();
      assertActive();
      uploaded.push(geometry);
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      scene.add(mesh);
      geometry.setDrawRange(0, 3);
      webGLRenderer.setRenderTarget(target);
      webGLRenderer.render(scene, new Camera());
      webGLRenderer.setRenderTarget(null);
      geometry.setDrawRange(0, Infinity);
      scene.remove(mesh);
    }
    await yieldToEventLoop();
    assertActive();
  } catch (error) {
    for (const geometry of uploaded) geometry.dispose();
    throw error;
  } finally {
    target.dispose();
    material.dispose();
  }
}
