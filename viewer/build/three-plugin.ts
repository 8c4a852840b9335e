/**
 * An esbuild plugin that bundles three.js from its sources instead of its own bundle, so that shaders
 * can be minified and unused classes removed. The build fails if three.js no longer matches this file.
 *
 * Measured (three 0.187, kB brotli of all scripts before the first frame, ours included): with imports
 * through `Three.js` 149.0; with each name imported from the file that defines it 157.9, because
 * modules shared by two scripts become separate chunks, and fifteen chunks compress badly.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import { RADIANCE_WEIGHTS } from '../src/renderer/environment-texel.ts';

/** Shaders of materials that neither glTF nor our own code uses. three.js imports all shaders. */
const UNUSED_SHADERS: ReadonlySet<string> = new Set([
  'gradientmap_pars_fragment',
  'lights_lambert_fragment',
  'lights_lambert_pars_fragment',
  'lights_phong_fragment',
  'lights_phong_pars_fragment',
  'lights_toon_fragment',
  'lights_toon_pars_fragment',
  'linedashed',
  'meshlambert',
  'meshmatcap',
  'meshphong',
  'meshtoon',
  'sprite',
]);

/** The shader that reads the environment map, and what it reads. */
const ENVIRONMENT_SHADER = 'envmap_physical_pars_fragment';
const ENVIRONMENT_COLOR = /\benvMapColor\.rgb\b/g;

const SHADER_PATTERN = /\/\* ?glsl ?\*\/\s*`([^`]*)`/g;
const SHADER_FILE_SUFFIX = '.glsl.js';

/** Returns the entry point of the sources, next to the folder `build` of the package. */
export function toSourceEntry(builtEntry: string): string {
  return builtEntry.replace(/build[\\/][^\\/]*$/, 'src/Three.js');
}

/** Resolves `three` to its sources, empties unused shaders and minifies the others. */
export function threeSourcesPlugin(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  const entryPoint = toSourceEntry(resolve('three'));
  return {
    name: 'three-sources',
    setup({ onResolve, onLoad, onEnd }) {
      const missing = new Set(UNUSED_SHADERS);
      onResolve({ filter: /^three$/ }, () => ({ path: entryPoint, sideEffects: false }));
      onLoad({ filter: /[\\/]three[\\/]src[\\/].*\.js$/, namespace: 'file' }, async ({ path }) => {
        missing.delete(basename(path, SHADER_FILE_SUFFIX));
        return { contents: transformSource(path, await readFile(path, 'utf8')) };
      });
      onEnd(() => ({
        errors: [...missing].map((name) => ({
          text: `three.js no longer has the shader ${name}: update UNUSED_SHADERS.`,
        })),
      }));
    },
  };
}

function transformSource(path: string, source: string): string {
  const isShaderFile = path.endsWith(SHADER_FILE_SUFFIX);
  if (isShaderFile && source.search(SHADER_PATTERN) < 0) {
    throw new Error(`${path} has no shader marked as glsl: update SHADER_PATTERN.`);
  }
  const isUnused = isShaderFile && UNUSED_SHADERS.has(basename(path, SHADER_FILE_SUFFIX));
  return source.replace(SHADER_PATTERN, (_, shader: string) =>
    isUnused ? '""' : `\`${minifyShader(adaptShader(path, shader))}\``,
  );
}

/** The texels of the environment map are those of environment-texel.ts. */
function adaptShader(path: string, shader: string): string {
  if (basename(path, SHADER_FILE_SUFFIX) !== ENVIRONMENT_SHADER) return shader;
  if (shader.search(ENVIRONMENT_COLOR) < 0)
    throw new Error(`${path} does not read ${ENVIRONMENT_COLOR.source}: update ENVIRONMENT_COLOR.`);
  return shader.replace(
    ENVIRONMENT_COLOR,
    `vec3( dot( envMapColor.rg, vec2( ${RADIANCE_WEIGHTS.join(', ')} ) ) )`,
  );
}

/** Removes comments and unnecessary spaces from GLSL. */
export function minifyShader(shader: string): string {
  return shader
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?([=+*/,;(){}<>?:&|-]) ?/g, (match, sign: string, offset: number, text: string) =>
      isDirective(text, offset) ? match : sign,
    )
    .replace(/^ +| +$/gm, '')
    .replace(/\n{2,}/g, '\n');
}

/** Whether an offset is in a line that starts with #, where spaces matter: `#define A (b)`. */
function isDirective(text: string, offset: number): boolean {
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  return /^\s*#/.test(text.slice(lineStart, offset + 1));
}
