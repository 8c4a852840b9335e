import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'esbuild';

const PEERS_FOLDER = join(import.meta.dirname, '../peers');
const CDN = 'https://cdn.jsdelivr.net/npm/';
const compress = promisify(brotliCompress);

/** A viewer from npm that Cloche is compared with. Its page is in `bench/peers/`. */
export type Peer = {
  name: string;
  /** The package whose version is reported. */
  packageName: string;
  /** The extensions of the files that it opens. */
  extensions: readonly string[];
  /** Files that it loads from a CDN, as `<package>/<file>`. They are sent by our server instead. */
  cdnFiles?: readonly string[];
};

export const PEERS: readonly Peer[] = [
  { name: 'model-viewer', packageName: '@google/model-viewer', extensions: ['.glb'] },
  { name: 'playcanvas', packageName: 'playcanvas', extensions: ['.glb'] },
  {
    name: 'online-3d-viewer',
    packageName: 'online-3d-viewer',
    extensions: ['.glb', '.ply', '.ifc'],
    cdnFiles: ['web-ifc/web-ifc-api-iife.js', 'web-ifc/web-ifc.wasm'],
  },
  { name: 'babylon', packageName: '@babylonjs/core', extensions: ['.glb'] },
];

/** Installs the viewers in their own folder, unless they are installed. The versions are those of its lock file. */
export async function installPeers(): Promise<void> {
  const lockFile = await readFile(join(PEERS_FOLDER, 'package-lock.json'), 'utf8');
  const markerPath = join(PEERS_FOLDER, 'node_modules/.installed-lock');
  const installed = await readFile(markerPath, 'utf8').catch(() => undefined);
  if (installed === lockFile) return;
  console.log('Installing the other viewers in bench/peers...');
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: PEERS_FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [exitCode] = await once(npm, 'exit');
  if (exitCode !== 0) throw new Error('npm ci in bench/peers failed; see the messages above.');
  await writeFile(markerPath, lockFile);
}

/** Returns the installed version of a viewer. */
export function readPeerVersion({ packageName }: Peer): Promise<string> {
  return readPackageVersion(packageName);
}

async function readPackageVersion(packageName: string): Promise<string> {
  const path = join(PEERS_FOLDER, 'node_modules', packageName, 'package.json');
  return JSON.parse(await readFile(path, 'utf8')).version;
}

/**
 * Bundles the page of a viewer into a folder for static files, minified and compressed with Brotli as a
 * site would do. Returns the function that writes its page for a model and returns the path of that page.
 * `changePage` changes the HTML of that page, and `pageSuffix` is added to its name.
 */
export async function buildPeer(
  { name, cdnFiles = [] }: Peer,
  filesFolder: string,
  changePage = (html: string) => html,
  pageSuffix = '',
) {
  const { outputFiles } = await build({
    entryPoints: [join(PEERS_FOLDER, `${name}.js`)],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    outdir: join(filesFolder, name),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    logLevel: 'error',
  });
  await mkdir(join(filesFolder, name), { recursive: true });
  await Promise.all(
    outputFiles.map(({ path, text }) => writeCompressed(path, text.replaceAll(CDN, '/npm/'))),
  );
  for (const file of cdnFiles) await publishCdnFile(file, filesFolder);
  const entry = outputFiles.find(({ path }) => basename(path).startsWith(`${name}-`));
  if (entry === undefined) throw new Error(`The bundle of ${name} has no entry.`);
  const script = `/${name}/${basename(entry.path)}`;
  const template = changePage(await readFile(join(PEERS_FOLDER, `${name}.html`), 'utf8'));
  return async (modelPath: string): Promise<string> => {
    const html = template.replace('{{script}}', script).replaceAll('{{model}}', modelPath);
    const path = `/${name}/${basename(modelPath, extname(modelPath))}${pageSuffix}.html`;
    await writeCompressed(join(filesFolder, path), html);
    return path;
  };
}

/** Publishes a file of a package under the path that it has on the CDN. */
async function publishCdnFile(file: string, filesFolder: string): Promise<void> {
  const [packageName = '', ...rest] = file.split('/');
  const version = await readPackageVersion(packageName);
  const path = join(filesFolder, 'npm', `${packageName}@${version}`, ...rest);
  await mkdir(dirname(path), { recursive: true });
  await writeCompressed(path, await readFile(join(PEERS_FOLDER, 'node_modules', file)));
}

async function writeCompressed(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content);
  await writeFile(`${path}.br`, await compress(content));
}

/** Writes a model for the viewers; returns its path, which contains a hash of the file. */
export async function publishModel(
  { name, extension, file }: { name: string; extension: string; file: Uint8Array },
  filesFolder: string,
): Promise<string> {
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 12);
  const path = `/models/${name}-${hash}${extension}`;
  await mkdir(dirname(join(filesFolder, path)), { recursive: true });
  await writeFile(join(filesFolder, path), file);
  return path;
}
