/**
 * A short shader for rough surfaces that are not metal: polynomials are in the place of the environment map and of the DFG table of three.js. Without a
 * GPU, the software renderer compiles it much faster, and the environment map is not uploaded. docs/decisions/0098-polynomials-instead-of-textures.md has the measurements.
 *
 * It has the names of three.js, and its parts for all that is not light.
 */
import { roughSurfaces } from 'virtual:environment';
import {
  type Material,
  MeshStandardMaterial,
  type Object3D,
  type WebGLProgramParametersWithUniforms,
  type WebGLRenderer,
} from 'three';
import { listMaterials } from '../scene/model-materials.ts';
import { rendersInSoftware } from './canvas-mipmaps.ts';
import { radianceExpression, reflectanceExpression, reflectanceOf } from './polynomials.ts';

const { minRoughness, lastLevel, radiance, irradiance, reflectance, multipleReflectance } =
  roughSurfaces;

/** Images of a material that the shader cannot show. */
const OTHER_IMAGES = ['normalMap', 'roughnessMap', 'metalnessMap', 'aoMap'] as const;
const LIGHT_COUNTS = [
  'numSunLights',
  'numDirLights',
  'numPointLights',
  'numSpotLights',
  'numRectAreaLights',
  'numHemiLights',
] as const;

type Parameters = WebGLProgramParametersWithUniforms & { numSunLights: number };

const withShortShader = new WeakSet<Material>();

/** Gives the rough materials of a model the short shader, if the renderer has no GPU. Posters have that of three.js. */
export function useRoughMaterialShader(root: Object3D): void {
  root.traverse((object) => {
    for (const material of listMaterials(object))
      if (isRoughDielectric(material)) Object.assign(material, HOOKS);
  });
}

/** Whether a model reads the environment map. Call it when its shaders are being compiled. */
export function readsEnvironmentMap(root: Object3D): boolean {
  let found = false;
  root.traverse((object) => {
    found ||= listMaterials(object).some(
      (material) => material instanceof MeshStandardMaterial && !withShortShader.has(material),
    );
  });
  return found;
}

function isRoughDielectric(material: Material): boolean {
  // With extensions, it is of a derived class.
  if (Object.getPrototypeOf(material) !== MeshStandardMaterial.prototype) return false;
  const { metalness, roughness } = material as MeshStandardMaterial;
  return metalness === 0 && roughness >= minRoughness;
}

const HOOKS: Partial<Material> = {
  customProgramCacheKey: () => 'rough',
  onBeforeCompile(this: MeshStandardMaterial, parameters, renderer) {
    if (!isEligible(parameters as Parameters, renderer)) return;
    withShortShader.add(this);
    const value = reflectanceOf(this.roughness, reflectance);
    Object.assign(parameters.uniforms, { reflectance: { value } });
    parameters.fragmentShader = FRAGMENT_SHADER;
  },
};

function isEligible(parameters: Parameters, renderer: WebGLRenderer): boolean {
  return (
    rendersInSoftware(renderer) &&
    parameters.envMap &&
    !OTHER_IMAGES.some((name) => parameters[name]) &&
    !LIGHT_COUNTS.some((name) => parameters[name] > 0)
  );
}

const toGlsl = (values: readonly number[]) => values.map((value) => value.toFixed(4));

// The numbers are in the text: a uniform would be slower, because each access is checked.
const FRAGMENT_SHADER = `
uniform vec3 diffuse, emissive;
uniform float opacity, roughness, reflectance[5];
varying vec3 vViewPosition;
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <emissivemap_pars_fragment>
#include <alphatest_pars_fragment>
#include <normal_pars_fragment>
float getRadiance(vec3 d) { return ${radianceExpression(toGlsl(radiance))}; }
float getIrradiance(vec3 d) { return ${radianceExpression(toGlsl(irradiance))}; }
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
  vec3 reflected = mix(2.0 * cosine * normal - view, normal, roughness * roughness * roughness * roughness);
  reflected = toWorld(normalize(reflected));
  // Between two levels of the environment map, as three.js samples it.
  float softness = 1.0 - ${lastLevel.toFixed(1)} * (1.0 - roughness) * (1.0 - roughness);
  float specular = mix(getRadiance(reflected), getIrradiance(reflected), softness);
  float irradiance = getIrradiance(toWorld(normal));
  cosine = saturate(cosine);
  float once = ${reflectanceExpression('reflectance')};
  vec3 outgoingLight = diffuseColor.rgb * (irradiance * (1.0 - once - ${multipleReflectance}))
    + (specular * once + irradiance * ${multipleReflectance}) + totalEmissiveRadiance;
  #include <opaque_fragment>
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
  #include <premultiplied_alpha_fragment>
}`;
