import type { Document } from './document.ts';

/** Checks the numbers the viewer builds cameras from. */
export function checkCameras({ cameras }: Document): void {
  for (const camera of cameras) {
    const type = camera.get('type').choice('perspective', 'orthographic');
    const lens = camera.get(type).object();
    const needed = type === 'perspective' ? ['yfov', 'znear'] : ['xmag', 'ymag', 'zfar', 'znear'];
    for (const key of needed) lens.get(key).number();
    for (const key of ['aspectRatio', 'zfar']) lens.find(key)?.number();
  }
}
