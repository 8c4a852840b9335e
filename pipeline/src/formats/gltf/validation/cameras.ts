import type { GltfDocument } from './document.ts';

/** Checks the numbers the viewer builds cameras from. */
export function validateCameras({ cameras }: GltfDocument): void {
  for (const camera of cameras) {
    const type = camera.get('type').oneOf('perspective', 'orthographic');
    const lens = camera.get(type).object();
    const needed = type === 'perspective' ? ['yfov', 'znear'] : ['xmag', 'ymag', 'zfar', 'znear'];
    for (const key of needed) lens.get(key).number();
    for (const key of ['aspectRatio', 'zfar']) lens.find(key)?.number();
  }
}
