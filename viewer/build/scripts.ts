import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { encodeEnvironment } from '../src/renderer/environment-codec.ts';
import { replaceFunctionConstructors } from './basis-transcoder.ts';
import { BROWSER_TARGETS } from './browser-targets.ts';
import { prefilterEnvironment } from './environment/prefilter.ts';
import { threeSourcesPlugin } from './three-plugin.ts';

/** The path under which the server sends the files of `assets`. */
export const PUBLIC_PATH = '/embed/viewer/';

/** The file names of the module scripts. */
export type BundledScripts = {
  entry: string;
  /** The scripts that the entry imports statically. Also loaded before the first frame. */
  staticImports: string[];
  /** The script that decodes the previews and models of the service. */
  decoderScript: string;
  /** The script that applies options. */
  optionsScript: string;
  /** The scripts that the controls import statically, except those of the first frame. */
  controlsImports: string[];
};

const COMMON_OPTIONS = {
  bundle: true,
  minify: true,
  target: BROWSER_TARGETS,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const { resolve } = createRequire(import.meta.url);

/** Bundles an entry script and the module scripts that it imports, with hashes in their names. */
export async function bundleScripts(
  viewer: string,
  outdir: string,
  entry: string,
): Promise<BundledScripts> {
  const { metafile } = await build({
    ...COMMON_OPTIONS,
    entryPoints: { viewer: join(viewer, entry) },
    absWorkingDir: viewer,
    outdir,
    format: 'esm',
    // If an iframe is removed, or its page left, during a top-level await, WebKitGTK 2.50 resumes it in an endless loop,
    // which blocks the host page too.
    supported: { 'top-level-await': false },
    splitting: true,
    metafile: true,
    publicPath: PUBLIC_PATH,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    plugins: [
      threeSourcesPlugin(),
      assetPlugin(),
      environmentPlugin(),
      stylesPlugin(viewer),
      messagesPlugin(),
    ],
  });
  requireRelativePaths(metafile);
  return toBundledScripts(metafile, entry);
}

/** esbuild hashes the paths of sources, and an absolute one would give each machine other names of scripts. */
function requireRelativePaths({ inputs }: Metafile): void {
  const absolute = Object.keys(inputs).find((path) => /^([\w-]+:)?(\/|[A-Za-z]:[\\/])/.test(path));
  if (absolute !== undefined)
    throw new Error(`The names of the scripts would depend on this folder: ${absolute}`);
}

/** Bundles the boot script. */
export async function bundleBootScript(
  viewer: string,
  { entry, decoderScript, optionsScript, controlsImports }: BundledScripts,
): Promise<string> {
  return bundleInlineScript(viewer, 'src/boot.ts', {
    define: {
      MODULE_SCRIPT: JSON.stringify(PUBLIC_PATH + entry),
      DECODER_SCRIPT: JSON.stringify(PUBLIC_PATH + decoderScript),
      OPTIONS_SCRIPT: JSON.stringify(PUBLIC_PATH + optionsScript),
      CONTROLS_IMPORTS: JSON.stringify(controlsImports.map((file) => PUBLIC_PATH + file)),
    },
    plugins: [messagesPlugin()],
    // Defines Symbol.dispose for all scripts in older browsers: this script runs first. esbuild's helpers
    // use the same symbol.
    banner: {
      js: "Symbol.dispose||Object.defineProperty(Symbol,'dispose',{value:Symbol.for('Symbol.dispose')});",
    },
  });
}

/** Bundles an inline script. It is a classic script, because module scripts run later. */
export async function bundleInlineScript(
  viewer: string,
  entry: string,
  options: Pick<BuildOptions, 'define' | 'banner' | 'plugins'> = {},
): Promise<string> {
  const { outputFiles } = await build({
    ...COMMON_OPTIONS,
    ...options,
    entryPoints: [join(viewer, entry)],
    format: 'iife',
    write: false,
  });
  const text = outputFiles?.[0]?.text.trim() ?? '';
  if (text.includes('</'))
    throw new Error(`The inline script ${entry} contains "</", which could end its element.`);
  return text;
}

/** Minifies the style sheet. */
export async function minifyCss(css: string): Promise<string> {
  const { code } = await transform(css, { loader: 'css', minify: true, target: BROWSER_TARGETS });
  return code.trim();
}

function toBundledScripts({ outputs }: Metafile, entrySource: string): BundledScripts {
  const find = (source: string): string => {
    const [file] =
      Object.entries(outputs).find(([, output]) => output.entryPoint?.endsWith(source)) ?? [];
    if (file === undefined) throw new Error(`esbuild wrote no script for ${source}.`);
    return file;
  };
  const listImports = (file: string, imported = new Set<string>()): Set<string> => {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind !== 'import-statement' || imported.has(path)) continue;
      listImports(path, imported.add(path));
    }
    return imported;
  };
  const toNames = (files: ReadonlySet<string>) => [...files].map((file) => basename(file));
  const entry = find(entrySource);
  const firstImports = listImports(entry);
  const controlsImports = listImports(find('src/mount-deferred-features.ts'));
  return {
    entry: basename(entry),
    staticImports: toNames(firstImports),
    controlsImports: toNames(controlsImports.difference(firstImports)),
    decoderScript: basename(find('src/loader/decoders.ts')),
    optionsScript: basename(find('src/options/apply-options.ts')),
  };
}

/** Resolves `asset:<module path>`: copies the file to the folder of the scripts and exports its URL. */
function assetPlugin(): Plugin {
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
function environmentPlugin(): Plugin {
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
export const encodedLevels = ${JSON.stringify(encodeEnvironment(levels))};`,
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
function stylesPlugin(viewer: string): Plugin {
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
function messagesPlugin(): Plugin {
  return {
    name: 'messages',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]i18n[\\/]en\.ts$/ }, () => ({
        contents: "export const en = JSON.parse(document.getElementById('messages').textContent);",
      }));
    },
  };
}
