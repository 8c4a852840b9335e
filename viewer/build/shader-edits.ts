/** What the build changes in the shaders of three.js, by the names of their files. */
import { RADIANCE_WEIGHTS } from '../src/renderer/environment-texel.ts';
import { applyEdits, type SourceEdit } from './apply-edits.ts';
import { LIGHTING_EDITS } from './image-based-lighting.ts';
import { SHARED_TEXTURE_EDITS } from './shared-textures.ts';

const SHADER_EDITS: Readonly<Record<string, readonly SourceEdit[]>> = {
  ...LIGHTING_EDITS,
  ...SHARED_TEXTURE_EDITS,
  // The texels of the environment map are those of environment-texel.ts.
  envmap_physical_pars_fragment: [
    [
      /\benvMapColor\.rgb\b/g,
      `vec3( dot( envMapColor.rg, vec2( ${RADIANCE_WEIGHTS.join(', ')} ) ) )`,
    ],
  ],
  // three.js does not decode textures of points in the shader: see src/loader/decode-colors-in-shader.ts.
  map_particle_fragment: [
    [
      /diffuseColor \*= (texture2D\( map, uv \));/,
      '#ifdef DECODE_VIDEO_TEXTURE\ndiffuseColor *= sRGBTransferEOTF( $1 );\n#else\n$&\n#endif',
    ],
  ],
  // One matrix for positions and normals, and a loop instead of four copies of the code that reads one from the texture.
  skinbase_vertex: [
    [
      /mat4 boneMatX[\s\S]*(?=#endif)/,
      `mat4 skinMatrix = mat4( 0.0 );
      vec4 bones = skinIndex;
      vec4 weights = skinWeight;
      for ( int bone = 0; bone < 4; bone ++ ) {
        skinMatrix += weights.x * getBoneMatrix( bones.x );
        bones = bones.yzwx;
        weights = weights.yzwx;
      }
      skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
      `,
    ],
  ],
  skinnormal_vertex: [[/mat4 skinMatrix[\s\S]*\* bindMatrix;/, '']],
  skinning_vertex: [
    [
      /vec4 skinVertex[\s\S]*(?=#endif)/,
      'transformed = ( skinMatrix * vec4( transformed, 1.0 ) ).xyz;\n',
    ],
  ],
  // Opaque and transparent materials have the same shader: three-replacements.ts.
  alphatest_pars_fragment: [[/^/, 'uniform float minAlpha;\n']],
  opaque_fragment: [
    [
      /#ifdef OPAQUE\s+diffuseColor\.a = 1\.0;\s+#endif/,
      'diffuseColor.a = max( diffuseColor.a, minAlpha );',
    ],
  ],
  tonemapping_pars_fragment: [
    // Of all kinds of tone mapping, only the one that the viewer uses is left.
    [/^\/\/ exposure only[\s\S]*(?=^vec3 NeutralToneMapping)/m, ''],
    // The same color, without a branch.
    [/if \( peak < StartCompression \) return color;/, 'peak = max( peak, StartCompression );'],
  ],
  // Square roots instead of powers, which take a processor several times as long. Encoded colors differ by at most 0.1 of 255, and decoded
  // ones by 0.02.
  colorspace_pars_fragment: [
    [
      /pow\( value\.rgb \* 0\.9478672986 \+ vec3\( 0\.0521327014 \), vec3\( 2\.4 \) \)/,
      '0.00076873 + 0.04009524 * value.rgb + value.rgb * value.rgb * ( 0.32339304 + 0.63581162 * sqrt( value.rgb ) )',
    ],
    [
      /pow\( value\.rgb, vec3\( 0\.41666 \) \) \* 1\.055 - vec3\( 0\.055 \)/,
      `0.83353564 * sqrt( value.rgb ) + 0.2982985 * sqrt( sqrt( value.rgb ) ) - 0.05525167 * value.rgb - 0.07694039`,
    ],
  ],
};

/**
 * Returns a shader as the build uses it.
 *
 * @throws {Error} if three.js has changed, and this file must be, too
 */
export function editShader(name: string, shader: string): string {
  return applyEdits(name, shader, SHADER_EDITS[name]);
}
