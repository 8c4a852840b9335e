import { DirectionalLight, type Light, type Object3D, Vector3 } from 'three';
import type { ModelBounds } from './model-bounds.ts';

/**
 * The highest irradiance of a file's own lights at the center of the model. The irradiance of the
 * environment is pi. Exporters write intensities in candela and lux, which are a thousand times higher:
 * the model would be white.
 */
const MAX_IRRADIANCE = 2;

/** Each light costs time for every pixel, and shaders with hundreds of lights do not compile. */
const MAX_LIGHTS = 16;

/**
 * Limits the lights of a file (KHR_lights_punctual): only the brightest are kept, and these are
 * dimmed by the same factor when their sum is too bright.
 */
export function limitLights(root: Object3D, { center, radius }: ModelBounds): void {
  const lights: { light: Light; irradiance: number }[] = [];
  const position = new Vector3();
  root.traverse((object) => {
    if (!(object as Light).isLight) return;
    const light = object as Light;
    const distance = Math.max(light.getWorldPosition(position).distanceTo(center), radius);
    const irradiance = light.intensity / (light instanceof DirectionalLight ? 1 : distance ** 2);
    if (Number.isFinite(irradiance)) lights.push({ light, irradiance });
    else disableLight(light);
  });
  lights.sort((a, b) => b.irradiance - a.irradiance);
  for (const { light } of lights.splice(MAX_LIGHTS)) disableLight(light);
  const sum = lights.reduce((total, { irradiance }) => total + irradiance, 0);
  if (sum > MAX_IRRADIANCE) for (const { light } of lights) light.intensity *= MAX_IRRADIANCE / sum;
}

/** Disables the layers of a light: `visible = false` would also hide its children. */
function disableLight(light: Light): void {
  light.layers.disableAll();
}
