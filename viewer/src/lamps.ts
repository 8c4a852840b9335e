import { DirectionalLight, type Light, type Object3D, Vector3 } from 'three';
import type { Outline } from './framing.ts';

/**
 * The most that a file's own lamps may add at the design's centre, in the unit in which the studio
 * gives pi. Exporters write lamps in candela and lux, a thousand times what the studio sends, and
 * nothing but white would be left.
 */
const MOST = 2;

/** So many lamps are lit at most: each makes every pixel dearer, and hundreds draw nothing at all. */
const MOST_LAMPS = 16;

/**
 * Dims the lamps a file brings (KHR_lights_punctual), all alike, when they outshine the studio. Of
 * very many only the brightest are lit.
 */
export function tameLamps(root: Object3D, { centre, radius }: Outline): void {
  const lamps: { lamp: Light; light: number }[] = [];
  const place = new Vector3();
  root.traverse((object) => {
    if (!(object as Light).isLight) return;
    const lamp = object as Light;
    const distance = Math.max(lamp.getWorldPosition(place).distanceTo(centre), radius);
    const light = lamp.intensity / (lamp instanceof DirectionalLight ? 1 : distance ** 2);
    if (Number.isFinite(light)) lamps.push({ lamp, light });
    else putOut(lamp);
  });
  lamps.sort((one, other) => other.light - one.light);
  for (const { lamp } of lamps.splice(MOST_LAMPS)) putOut(lamp);
  const sum = lamps.reduce((total, { light }) => total + light, 0);
  if (sum > MOST) for (const { lamp } of lamps) lamp.intensity *= MOST / sum;
}

/** By its layers: what hangs from the lamp in the scene stays visible. */
function putOut(lamp: Light): void {
  lamp.layers.disableAll();
}
