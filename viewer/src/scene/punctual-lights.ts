import { DirectionalLight, type Light, type Object3D, Vector3 } from 'three';
import type { ModelBounds } from './model-bounds.ts';

/**
 * The highest irradiance of a file's own lights at the center of the model; the environment's is pi.
 * Exporters write intensities in candela and lux, which are a thousand times higher: everything would
 * be white.
 */
const MAX_IRRADIANCE = 2;

/** Each light costs time for every pixel, and with hundreds of them the shaders do not compile. */
const MAX_LIGHTS = 16;

/**
 * Limits the lights of a file (KHR_lights_punctual): only the brightest ones stay on, and all are
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

/** With its layers, not with `visible`, which would hide the children of the light as well. */
function disableLight(light: Light): void {
  light.layers.disableAll();
}
