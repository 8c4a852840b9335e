import { DirectionalLight, type Light, type Object3D, Vector3 } from 'three';
import type { ModelBounds } from '../camera/framing.ts';

/**
 * The most that a file's own lamps may add at the design's centre, in the unit in which the studio
 * gives pi. Exporters write lamps in candela and lux, a thousand times what the studio sends, and
 * nothing but white would be left.
 */
const MAX_IRRADIANCE = 2;

/** So many lamps are lit at most: each makes every pixel dearer, and hundreds draw nothing at all. */
const MAX_LIGHTS = 16;

/**
 * Dims the lamps a file brings (KHR_lights_punctual), all alike, when they outshine the studio. Of
 * very many only the brightest are lit.
 */
export function limitLights(root: Object3D, { center, radius }: ModelBounds): void {
  const lamps: { lamp: Light; light: number }[] = [];
  const place = new Vector3();
  root.traverse((object) => {
    if (!(object as Light).isLight) return;
    const lamp = object as Light;
    const distance = Math.max(lamp.getWorldPosition(place).distanceTo(center), radius);
    const light = lamp.intensity / (lamp instanceof DirectionalLight ? 1 : distance ** 2);
    if (Number.isFinite(light)) lamps.push({ lamp, light });
    else disableLight(lamp);
  });
  lamps.sort((one, other) => other.light - one.light);
  for (const { lamp } of lamps.splice(MAX_LIGHTS)) disableLight(lamp);
  const sum = lamps.reduce((total, { light }) => total + light, 0);
  if (sum > MAX_IRRADIANCE) for (const { lamp } of lamps) lamp.intensity *= MAX_IRRADIANCE / sum;
}

/** By its layers: what hangs from the lamp in the scene stays visible. */
function disableLight(lamp: Light): void {
  lamp.layers.disableAll();
}
