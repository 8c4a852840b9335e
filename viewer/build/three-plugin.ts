/**
 * An esbuild plugin that bundles three.js from its sources instead of its own bundle, so that shaders
 * can be minified and unused parts removed. The build fails if three.js no longer matches this file.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import { editShader } from './shader-edits.ts';
import { REPLACED_MODULES, replaceModule } from './three-replacements.ts';

/** Shaders that neither glTF nor our own code uses. three.js imports all shaders. */
const UNUSED_SHADERS: ReadonlySet<string> = new Set([
  'backgroundCube',
  'cube',
  'depth',
  'distance',
  'equirect',
  'gradientmap_pars_fragment',
  'lightprobes_pars_fragment',
  'lights_lambert_fragment',
  'lights_lambert_pars_fragment',
  'lights_phong_fragment',
  'lights_phong_pars_fragment',
  'lights_toon_fragment',
  'lights_toon_pars_fragment',
  'linedashed',
  'meshlambert',
  'meshmatcap',
  'meshnormal',
  'meshphong',
  'meshtoon',
  'shadow',
  'shadowmap_pars_fragment',
  'shadowmap_pars_vertex',
  'shadowmap_vertex',
  'shadowmask_pars_fragment',
  'sprite',
]);

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
      const missing = new Set([...UNUSED_SHADERS, ...Object.keys(REPLACED_MODULES)]);
      onResolve({ filter: /^three$/ }, () => ({ path: entryPoint, sideEffects: false }));
      onLoad({ filter: /[\\/]three[\\/]src[\\/].*\.js$/, namespace: 'file' }, async ({ path }) => {
        missing.delete(basename(path, SHADER_FILE_SUFFIX));
        missing.delete(toModuleName(path));
        return { contents: transformSource(path, await readFile(path, 'utf8')) };
      });
      onEnd(() => ({
        errors: [...missing].map((name) => ({
          text: `three.js no longer imports ${name}: update UNUSED_SHADERS or REPLACED_MODULES.`,
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
  if (!isShaderFile) return replaceModule(toModuleName(path), source);
  const name = basename(path, SHADER_FILE_SUFFIX);
  return source.replace(SHADER_PATTERN, (_, shader: string) =>
    UNUSED_SHADERS.has(name) ? '""' : `\`${minifyShader(editShader(name, shader))}\``,
  );
}

/** Returns the path of a module in the folder `src` of three.js. */
function toModuleName(path: string): string {
  return path.replaceAll('\\', '/').replace(/^.*\/three\/src\//, '');
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
