/** The esbuild plugins of the scripts, except that of three.js. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { encodeEnvironment } from '../src/renderer/environment-codec.ts';
import { replaceFunctionConstructors } from './basis-transcoder.ts';
import { fitPolynomials } from './environment/fit-polynomials.ts';
import { prefilterEnvironment } from './environment/prefilter.ts';
import { minifyCss } from './minify-css.ts';

const { resolve } = createRequire(import.meta.url);

/**
 * Lets each script that is loaded later import the entry. esbuild puts modules into the same script if the same scripts need
 * them, so the entry and all its imports become one script: each request before the first frame costs time. Such a script has no
 * default export.
 */
export function deferredScriptsPlugin(viewer: string, entry: string): Plugin {
  const isResolved = Symbol('resolved');
  return {
    name: 'deferred-scripts',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === isResolved) return undefined;
        const target = await resolve(path, { kind, importer, resolveDir, pluginData: isResolved });
        if (target.errors.length > 0) return target;
        return { path: relative(viewer, target.path), namespace: 'deferred' };
      });
      onLoad({ filter: /./, namespace: 'deferred' }, ({ path }) => ({
        contents: `import './${entry}'; export * from './${path}';`,
        resolveDir: viewer,
      }));
    },
  };
}

/** Resolves `asset:<module path>`: copies the file to the folder of the scripts and exports its URL. */
export function assetPlugin(): Plugin {
  return {
    name: 'assets',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^asset:/ }, ({ path }) => ({
        path: path.slice('asset:'.length),
        namespace: 'asset',
      }));
      onLoad({ filter: /.*/, namespace: 'asset' }, async ({ path }) => {
        const file = resolve(path);
        return {
          contents: file.endsWith('basis_transcoder.js')
            ? replaceFunctionConstructors(await readFile(file, 'utf8'))
            : await readFile(file),
          loader: 'file',
        };
      });
    },
  };
}

/** Resolves `virtual:environment`: exports the encoded environment map. */
export function environmentPlugin(): Plugin {
  return {
    name: 'virtual-environment',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual:environment$/ }, () => ({
        path: 'environment',
        namespace: 'environment',
      }));
      onLoad({ filter: /.*/, namespace: 'environment' }, () => {
        const levels = prefilterEnvironment();
        return {
          contents: `export const baseSize = ${levels[0]?.size};
export const encodedLevels = ${JSON.stringify(encodeEnvironment(levels))};
export const roughSurfaces = ${JSON.stringify(fitPolynomials(levels))};`,
        };
      });
    },
  };
}

/** The style sheets that scripts contain. */
const STYLE_SHEETS: Readonly<Record<string, string>> = {
  'toolbar-styles': 'src/ui/toolbar.css',
  'theme-styles': 'page/themes.css',
};

/** Resolves `virtual:toolbar-styles` and `virtual:theme-styles`: exports the minified style sheet as a text. */
export function stylesPlugin(viewer: string): Plugin {
  return {
    name: 'virtual-styles',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual:\w+-styles$/ }, ({ path }) => ({
        path: path.slice('virtual:'.length),
        namespace: 'styles',
      }));
      onLoad({ filter: /.*/, namespace: 'styles' }, async ({ path }) => {
        const file = STYLE_SHEETS[path];
        if (file === undefined) return undefined;
        const contents = await minifyCss(await readFile(join(viewer, file), 'utf8'));
        return { contents, loader: 'text' };
      });
    },
  };
}

/** Replaces the English texts by those in the document, so that the scripts are the same in all languages. */
export function messagesPlugin(): Plugin {
  return {
    name: 'messages',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]i18n[\\/]en\.ts$/ }, () => ({
        contents: "export const en = JSON.parse(document.getElementById('messages').textContent);",
      }));
    },
  };
}
