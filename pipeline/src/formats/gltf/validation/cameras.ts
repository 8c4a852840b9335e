import type { GltfDocument } from './document.ts';

/** Checks the numbers from which the viewer creates cameras. */
export function validateCameras({ cameras }: GltfDocument): void {
  for (const camera of cameras) {
    const type = camera.get('type').oneOf('perspective', 'orthographic');
    const projection = camera.get(type).object();
    const requiredKeys =
      type === 'perspective' ? ['yfov', 'znear'] : ['xmag', 'ymag', 'zfar', 'znear'];
    for (const key of requiredKeys) projection.get(key).number();
    for (const key of ['aspectRatio', 'zfar']) projection.find(key)?.number();
  }
}
