/**
 * Image-based lighting for the materials that nearly all models have: metal and roughness without extensions, lit by the environment map
 * alone. It computes what three.js does, with fewer operations: without a GPU, the software renderer compiles every one of them before the first
 * frame. docs/decisions/0096-a-short-shader-for-image-based-lighting.md has the measurements.
 *
 * For other materials, and with lights, the shader of three.js stays.
 */
import { RADIANCE_WEIGHTS } from '../src/renderer/environment-texel.ts';
import type { SourceEdit } from './apply-edits.ts';

const LIGHTS = ['SUN', 'DIR', 'SPOT', 'RECT_AREA', 'POINT', 'HEMI'];
const LIGHT_COUNT = LIGHTS.map((type) => `NUM_${type}_LIGHTS`).join(' + ');
const CONDITION = `defined( USE_ENVMAP ) && ! defined( PHYSICAL ) && ${LIGHT_COUNT} == 0`;

const FUNCTIONS = `
float sampleEnvironment( vec3 direction, float level ) {
  vec3 world = ( vec4( direction, 0.0 ) * viewMatrix ).xyz;
  vec2 texel = textureLod( envMap, vec3( - world.x, world.yz ), level ).rg;
  return dot( texel, vec2( ${RADIANCE_WEIGHTS.join(', ')} ) );
}`;

/** In the order and with the names of three.js, from lights_physical_fragment to lights_fragment_end. A dielectric reflects no color, so its parts are numbers. */
const LIGHTING = `
vec3 geometryNormal = normal;
vec3 geometryViewDir = normalize( vViewPosition );
vec3 change = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
struct { float roughness; } material;
material.roughness = min( max( roughnessFactor, 0.045 ) + max( max( change.x, change.y ), change.z ), 1.0 );
vec3 reflected = mix( reflect( - geometryViewDir, normal ), normal, pow4( material.roughness ) );
float radiance = sampleEnvironment( reflected, roughnessToMip( material.roughness ) );
float irradiance = sampleEnvironment( normal, ENVMAP_MAX_LOD );
vec2 dfg = texture2D( dfgLUT, vec2( material.roughness, saturate( dot( normal, geometryViewDir ) ) ) ).rg;
float ems = 1.0 - dfg.x - dfg.y;
float singleScatteringDielectric = 0.04 * dfg.x + dfg.y;
float favgDielectric = 0.04 + 0.96 * 0.047619;
float multiScatteringDielectric = singleScatteringDielectric * favgDielectric * ems / ( 1.0 - ems * favgDielectric );
vec3 singleScatteringMetallic = diffuseColor.rgb * dfg.x + dfg.y;
vec3 favgMetallic = diffuseColor.rgb + ( 1.0 - diffuseColor.rgb ) * 0.047619;
vec3 multiScatteringMetallic = singleScatteringMetallic * favgMetallic * ems / ( 1.0 - ems * favgMetallic );
reflectedLight.indirectDiffuse = diffuseColor.rgb * ( irradiance * ( 1.0 - metalnessFactor ) * ( 1.0 - singleScatteringDielectric - multiScatteringDielectric ) );
reflectedLight.indirectSpecular = mix(
  vec3( radiance * singleScatteringDielectric + irradiance * multiScatteringDielectric ),
  radiance * singleScatteringMetallic + irradiance * multiScatteringMetallic,
  metalnessFactor
);
`;

const leaveOut: readonly SourceEdit[] = [[/^[\s\S]*$/, `#if ! ( ${CONDITION} )\n$&\n#endif\n`]];

/** The edits, by the names of the shaders. */
export const LIGHTING_EDITS: Readonly<Record<string, readonly SourceEdit[]>> = {
  lights_physical_pars_fragment: [[/$/, `\n#if ${CONDITION}\n${FUNCTIONS}\n#endif\n`]],
  lights_physical_fragment: [[/^[\s\S]*$/, `#if ${CONDITION}\n${LIGHTING}\n#else\n$&\n#endif\n`]],
  lights_fragment_begin: leaveOut,
  lights_fragment_maps: leaveOut,
  // Without ambient light or light maps, which glTF does not have, it adds nothing.
  lights_fragment_end: [[/RE_IndirectDiffuse\( [^;]*;/, ''], ...leaveOut],
};
