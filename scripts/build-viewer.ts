import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..');
const ASSETS_FOLDER = join(ROOT, 'viewer/dist/assets');
const SOURCE_HASH_FILE = join(ROOT, 'viewer/dist/source-hash');
const SOURCE_GLOBS = ['viewer/**/*.{ts,html,css,json}', 'contract/src/*.ts', 'package-lock.json'];

type BuildViewerOptions = { onlyIfChanged: boolean; printSizes?: boolean };

/** Builds viewer/dist and compresses its files; with `onlyIfChanged` only if a source has changed. */
export async function buildViewer({
  onlyIfChanged,
  printSizes = false,
}: BuildViewerOptions): Promise<void> {
  const sourceHash = await hashSources();
  const builtHash = await readFile(SOURCE_HASH_FILE, 'utf8').catch(() => undefined);
  if (onlyIfChanged && builtHash === sourceHash) return;
  console.log('Building the viewer...');
  const build = spawn(process.execPath, [join(ROOT, 'viewer/build.ts')], {
    stdio: ['ignore', printSizes ? 'inherit' : 'ignore', 'inherit'],
  });
  const [exitCode] = await once(build, 'exit');
  if (exitCode !== 0) throw new Error('Building the viewer failed; see the messages above.');
  await compressAssets();
  await writeFile(SOURCE_HASH_FILE, sourceHash);
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  const paths: string[] = [];
  for await (const path of glob(SOURCE_GLOBS, {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(dist|node_modules)(\/|$)|\.test\.ts$/.test(name),
  })) {
    paths.push(path);
  }
  for (const path of paths.sort())
    hash.update(`${path}\n`).update(await readFile(join(ROOT, path)));
  return hash.digest('hex');
}

/** Compresses each file at the highest level, so that the service does not compress during requests. */
async function compressAssets(): Promise<void> {
  const names = await readdir(ASSETS_FOLDER);
  await Promise.all(
    names.map(async (name) => {
      const path = join(ASSETS_FOLDER, name);
      const content = await readFile(path);
      const [br, gz] = await Promise.all([
        compressBrotli(content),
        promisify(gzip)(content, { level: 9 }),
      ]);
      await writeFile(`${path}.br`, br);
      await writeFile(`${path}.gz`, gz);
    }),
  );
}

function compressBrotli(content: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}
