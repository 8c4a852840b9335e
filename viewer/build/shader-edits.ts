/** What the build changes in the shaders of three.js, by the names of their files. */
import { RADIANCE_WEIGHTS } from '../src/renderer/environment-texel.ts';
import { applyEdits, type SourceEdit } from './apply-edits.ts';

const SHADER_EDITS: Readonly<Record<string, readonly SourceEdit[]>> = {
  // The texels of the environment map are those of environment-texel.ts.
  envmap_physical_pars_fragment: [
    [
      /\benvMapColor\.rgb\b/g,
      `vec3( dot( envMapColor.rg, vec2( ${RADIANCE_WEIGHTS.join(', ')} ) ) )`,
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
  // Of all kinds of tone mapping, only the one that the viewer uses is left.
  tonemapping_pars_fragment: [[/^\/\/ exposure only[\s\S]*(?=^vec3 NeutralToneMapping)/m, '']],
};

/**
 * Returns a shader as the build uses it.
 *
 * @throws {Error} if three.js has changed, and this file must be, too
 */
export function editShader(name: string, shader: string): string {
  return applyEdits(name, shader, SHADER_EDITS[name]);
}
