import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BROWSER_TARGETS } from './browser-targets.ts';
import {
  assetPlugin,
  deferredScriptsPlugin,
  environmentPlugin,
  messagesPlugin,
  stylesPlugin,
} from './plugins.ts';
import { threeSourcesPlugin } from './three-plugin.ts';

/** The path under which the server sends the files of `assets`. */
export const PUBLIC_PATH = '/embed/viewer/';

/** The file names of the module scripts. */
export type BundledScripts = {
  /** The only one that is loaded before the first frame, unless a design has options, variants, glass or KTX2 textures. */
  entry: string;
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

/** The beginnings of the names of the entry and, by esbuild, of a script that several scripts import. */
const [ENTRY_NAME, CHUNK_NAME] = ['viewer', 'chunk'];

/** Bundles an entry script and the module scripts that it imports, with hashes in their names. */
export async function bundleScripts(
  viewer: string,
  outdir: string,
  entry: string,
): Promise<BundledScripts> {
  const { metafile, outputFiles } = await build({
    ...COMMON_OPTIONS,
    write: false,
    entryPoints: { [ENTRY_NAME]: join(viewer, entry) },
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
      deferredScriptsPlugin(viewer, entry),
      threeSourcesPlugin(),
      assetPlugin(),
      environmentPlugin(),
      stylesPlugin(viewer),
      messagesPlugin(),
    ],
  });
  requireRelativePaths(metafile);
  const { firstScript, entryScript, ...scripts } = findScripts(metafile, entry);
  const name = firstScript.replace(CHUNK_NAME, ENTRY_NAME);
  for (const { path, contents } of outputFiles) {
    const file = basename(path);
    // It only imports the first script.
    if (file === entryScript) continue;
    const text = path.endsWith('.js') ? Buffer.from(contents).toString() : undefined;
    await writeFile(
      join(outdir, file === firstScript ? name : file),
      text?.replaceAll(firstScript, name) ?? contents,
    );
  }
  return { entry: name, ...scripts };
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
  { entry, optionsScript, controlsImports }: BundledScripts,
): Promise<string> {
  return bundleInlineScript(viewer, 'src/boot.ts', {
    define: {
      MODULE_SCRIPT: JSON.stringify(PUBLIC_PATH + entry),
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

/** Finds the scripts that others refer to. The first one has the entry and all its imports. */
function findScripts(
  { outputs }: Metafile,
  entry: string,
): Omit<BundledScripts, 'entry'> & { firstScript: string; entryScript: string } {
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
  const entryScript = find(entry);
  const [firstScript, ...others] = listImports(entryScript);
  if (firstScript === undefined || others.length > 0)
    throw new Error('The entry is not in one script with all that it imports.');
  const controlsImports = listImports(find('src/mount-deferred-features.ts'));
  controlsImports.delete(firstScript);
  return {
    firstScript: basename(firstScript),
    entryScript: basename(entryScript),
    controlsImports: [...controlsImports].map((file) => basename(file)),
    optionsScript: basename(find('src/options/apply-options.ts')),
  };
}
