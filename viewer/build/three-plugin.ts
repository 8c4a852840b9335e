/**
 * three.js from its sources instead of its bundle, so that its shaders lose comments and blanks
 * and its classes are shaken one by one.
 *
 * Measured (three 0.187, kB brotli of all scripts before the first frame, ours included): names from
 * the barrel as they are 149.0; every name from the file that holds it 157.9, because what two
 * scripts share becomes a chunk each time, and fifteen chunks compress badly.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

export function threeSourcesPlugin(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  const barrel = resolve('three').replace(/build[\\/].*$/, 'src/Three.js');
  return {
    name: 'three-sources',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^three$/ }, () => ({ path: barrel, sideEffects: false }));
      onLoad({ filter: /[\\/]three[\\/]src[\\/].*\.js$/, namespace: 'file' }, async ({ path }) => ({
        contents: minifyShaders(blankUnusedShaders(path, await readFile(path, 'utf8'))),
      }));
    },
  };
}

/** Shaders of materials that no glTF asks for, and nothing of ours: the renderer names them all. */
const UNUSED_SHADER_FILES =
  /[\\/](lights_(lambert|phong|toon)(_pars)?_fragment|gradientmap_pars_fragment|mesh(lambert|matcap|phong|toon)|linedashed|sprite)\.glsl\.js$/;

function blankUnusedShaders(path: string, source: string): string {
  return UNUSED_SHADER_FILES.test(path)
    ? source.replace(/\/\* ?glsl ?\*\/\s*`[^`]*`/g, '""')
    : source;
}

function minifyShaders(source: string): string {
  return source.replace(
    /\/\* ?glsl ?\*\/\s*`([^`]*)`/g,
    (_, shader: string) => `\`${minifyShader(shader)}\``,
  );
}

function minifyShader(shader: string): string {
  return shader
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?([=+*/,;(){}<>?:&|-]) ?/g, (whole, sign: string, at: number, all: string) =>
      isDirective(all, at) ? whole : sign,
    )
    .replace(/^ +| +$/gm, '')
    .replace(/\n{2,}/g, '\n');
}

/** On a line that starts with #, blanks mean something: `#define A (b)` is not `#define A(b)`. */
function isDirective(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at) + 1;
  return /^\s*#/.test(text.slice(start, at + 1));
}
