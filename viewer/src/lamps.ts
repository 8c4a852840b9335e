import { DirectionalLight, type Light, type Object3D, Vector3 } from 'three';
import type { Outline } from './framing.ts';

/**
 * The most that a file's own lamps may add at the design's centre, in the unit in which the studio
 * gives pi. Exporters write lamps in candela and lux, a thousand times what the studio sends, and
 * nothing but white would be left.
 */
const MOST = 2;

/** Dims the lamps a file brings (KHR_lights_punctual), all alike, when they outshine the studio. */
export function tameLamps(root: Object3D, { centre, radius }: Outline): void {
  const lamps: Light[] = [];
  const place = new Vector3();
  let sum = 0;
  root.traverse((object) => {
    if (!(object as Light).isLight) return;
    const lamp = object as Light;
    const distance = Math.max(lamp.getWorldPosition(place).distanceTo(centre), radius);
    sum += lamp.intensity / (lamp instanceof DirectionalLight ? 1 : distance ** 2);
    lamps.push(lamp);
  });
  if (sum > MOST) for (const lamp of lamps) lamp.intensity *= MOST / sum;
}
