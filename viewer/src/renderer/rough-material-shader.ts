/**
 * A short shader for models with only rough materials that are not metal: polynomials are in the place of the environment map and of the DFG table of three.js. Without a
 * GPU, the software renderer compiles it much faster, and the environment map is not uploaded. docs/decisions/0098-polynomials-instead-of-textures.md has the measurements.
 *
 * It has the names of three.js, and its parts for all that is not light.
 */
import { roughSurfaces } from 'virtual:environment';
import { type Material, MeshStandardMaterial, type Object3D, type WebGLRenderer } from 'three';
import { listLitMaterials } from '../scene/model-materials.ts';
import {
  REFLECTANCE_LENGTH,
  radianceExpression,
  reflectanceExpression,
  reflectanceOf,
} from './polynomials.ts';
import { rendersInSoftware } from './software-rendering.ts';

const { minRoughness, lastLevel, radiance, irradiance, reflectance, multipleReflectance } =
  roughSurfaces;

/** Images of a material that the shader cannot show. */
const OTHER_IMAGES = ['normalMap', 'roughnessMap', 'metalnessMap', 'aoMap'] as const;

/** Makes three.js use the short shader for a material. Such materials have one program, unless three.js distinguishes them for other reasons. */
const HOOKS = {
  customProgramCacheKey: () => 'rough',
  onBeforeCompile(this: MeshStandardMaterial, parameters) {
    const value = reflectanceOf(this.roughness, reflectance);
    Object.assign(parameters.uniforms, { reflectance: { value } });
    parameters.fragmentShader = FRAGMENT_SHADER;
  },
} satisfies Partial<Material>;

/**
 * Without a GPU, gives the materials of a model the short shader, if it can show all of them: with a second shader, a model would take longer. Posters
 * have that of three.js.
 */
export function useRoughMaterialShader(root: Object3D, renderer: WebGLRenderer): void {
  if (!rendersInSoftware(renderer)) return;
  const materials = listLitMaterials(root);
  let hasLight = false;
  root.traverse((object) => {
    hasLight ||= 'isLight' in object;
  });
  if (hasLight || !materials.every(isRoughDielectric)) return;
  for (const material of materials) Object.assign(material, HOOKS);
}

function isRoughDielectric(material: MeshStandardMaterial): boolean {
  // With extensions, it is of a derived class.
  if (Object.getPrototypeOf(material) !== MeshStandardMaterial.prototype) return false;
  const { metalness, roughness } = material;
  const isRough = roughness >= minRoughness && roughness <= 1;
  return isRough && metalness === 0 && !OTHER_IMAGES.some((name) => material[name]);
}

const toGlsl = (value: number) => value.toFixed(4);

// The numbers are in the text: a uniform would be slower, because each access is checked.
const FRAGMENT_SHADER = `
uniform vec3 diffuse, emissive;
uniform float opacity, roughness, reflectance[${REFLECTANCE_LENGTH}];
varying vec3 vViewPosition;
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <emissivemap_pars_fragment>
#include <alphatest_pars_fragment>
#include <normal_pars_fragment>
float getRadiance(vec3 d) { return ${radianceExpression(radiance.map(toGlsl))}; }
float getIrradiance(vec3 d) { return ${radianceExpression(irradiance.map(toGlsl))}; }
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
  // 0 for the sharper one of both levels of the environment map, 1 for the roughest: three.js interpolates them, too.
  float softness = 1.0 - ${toGlsl(lastLevel)} * (1.0 - roughness) * (1.0 - roughness);
  float specular = mix(getRadiance(reflected), getIrradiance(reflected), softness);
  float irradiance = getIrradiance(toWorld(normal));
  cosine = clamp(cosine, 0.0, 1.0);
  // The part that the surface reflects at once. The rest, but for what it reflects after several reflections, has its color.
  float once = ${reflectanceExpression('reflectance')};
  vec3 outgoingLight = diffuseColor.rgb * (irradiance * (1.0 - once - ${toGlsl(multipleReflectance)}))
    + (specular * once + irradiance * ${toGlsl(multipleReflectance)}) + totalEmissiveRadiance;
  #include <opaque_fragment>
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
  #include <premultiplied_alpha_fragment>
}`;
