/**
 * A short shader for rough materials that are not metal, have no images but colors, and are lit by the environment map alone: what
 * most models have that were not scanned. Polynomials are in the place of the environment map and of the DFG table. Without a GPU, the software renderer
 * compiles it in about half of the time.
 *
 * docs/decisions/0098-polynomials-instead-of-textures.md has the measurements.
 */
import { rough } from 'virtual:environment';
import { MeshStandardMaterial, type Object3D, type WebGLProgramParametersWithUniforms, type WebGLRenderer } from 'three';
import { listMaterials } from '../scene/model-materials.ts';
import { usesCanvasForMipmaps } from './canvas-mipmaps.ts';
import {
  REFLECTANCE_LENGTH,
  radianceExpression,
  reflectanceExpression,
  reflectanceOf,
} from './polynomials.ts';

/** Set if a material has an image other than that of its colors. */
const OTHER_IMAGES = ['normalMap', 'roughnessMap', 'metalnessMap', 'aoMap'] as const;
const LIGHT_COUNTS = [
  'numSunLights', 'numDirLights', 'numPointLights', 'numSpotLights', 'numRectAreaLights', 'numHemiLights',
] as const;

const withShortShader = new WeakSet<MeshStandardMaterial>();

/** Lets the materials of a model have the short shader, where it can show them and the renderer has no GPU. Posters have that of three.js. */
export function useRoughMaterialShader(root: Object3D): void {
  root.traverse((object) => {
    for (const material of listMaterials(object)) {
      if (!isRoughDielectric(material)) continue;
      material.customProgramCacheKey = () => 'rough';
      material.onBeforeCompile = (parameters, renderer) => {
        if (!isEligible(parameters, renderer)) return;
        withShortShader.add(material);
        replaceShader(material, parameters);
      };
    }
  });
}

/** Whether a compiled model reads the environment map. */
export function readsEnvironmentMap(root: Object3D): boolean {
  let found = false;
  root.traverse((object) => {
    found ||= listMaterials(object).some(
      (material) => material instanceof MeshStandardMaterial && !withShortShader.has(material),
    );
  });
  return found;
}

function isRoughDielectric(material: unknown): material is MeshStandardMaterial {
  // Those with extensions are of a derived class.
  if (Object.getPrototypeOf(material) !== MeshStandardMaterial.prototype) return false;
  const { metalness, roughness } = material as MeshStandardMaterial;
  return metalness === 0 && roughness >= rough.minRoughness;
}

function isEligible(parameters: WebGLProgramParametersWithUniforms, renderer: WebGLRenderer): boolean {
  return (
    usesCanvasForMipmaps(renderer) &&
    parameters.envMap &&
    !OTHER_IMAGES.some((name) => parameters[name]) &&
    !LIGHT_COUNTS.some((name) => parameters[name] > 0)
  );
}

function replaceShader({ roughness }: MeshStandardMaterial, parameters: WebGLProgramParametersWithUniforms): void {
  const { once, several } = rough.reflectance;
  const coefficients = reflectanceOf(roughness, several);
  const reflectance = reflectanceOf(roughness, once).flatMap((value, index) => [value, coefficients[index]]);
  Object.assign(parameters.uniforms, { reflectance: { value: reflectance } });
  parameters.fragmentShader = FRAGMENT_SHADER;
}

const toFloat = (value: number) => value.toFixed(4);

const FRAGMENT_SHADER = `
uniform vec3 diffuse, emissive;
uniform float opacity, roughness;
uniform vec2 reflectance[${REFLECTANCE_LENGTH}];
varying vec3 vViewPosition;
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphatest_pars_fragment>
#include <emissivemap_pars_fragment>
#include <normal_pars_fragment>
float getRadiance(vec3 d) { return ${radianceExpression(rough.radiance.map(toFloat))}; }
float getIrradiance(vec3 d) { return ${radianceExpression(rough.irradiance.map(toFloat))}; }
vec3 toWorld(vec3 direction) { return (vec4(direction, 0.0) * viewMatrix).xyz; }
void main() {
  vec4 diffuseColor = vec4(diffuse, opacity);
  vec3 totalEmissiveRadiance = emissive;
  #include <map_fragment>
  #include <color_fragment>
  #include <alphatest_fragment>
  #include <normal_fragment_begin>
  #include <emissivemap_fragment>
  vec3 view = normalize(vViewPosition);
  float cosine = dot(normal, view);
  vec3 reflected = normalize(mix(2.0 * cosine * normal - view, normal, roughness * roughness * roughness * roughness));
  reflected = toWorld(reflected);
  // As three.js samples two levels of the environment map.
  float softness = 1.0 - ${toFloat(rough.lastLevel)} * (1.0 - roughness) * (1.0 - roughness);
  cosine = saturate(cosine);
  vec2 part = ${reflectanceExpression('reflectance')};
  float irradiance = getIrradiance(toWorld(normal));
  vec3 outgoingLight = diffuseColor.rgb * (irradiance * (1.0 - part.x - part.y))
    + (mix(getRadiance(reflected), getIrradiance(reflected), softness) * part.x + irradiance * part.y) + totalEmissiveRadiance;
  #include <opaque_fragment>
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
  #include <premultiplied_alpha_fragment>
}`;
