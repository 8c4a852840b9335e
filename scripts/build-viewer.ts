import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..');
const ASSETS_FOLDER = join(ROOT, 'viewer/dist/assets');
const SOURCE_HASH_FILE = join(ROOT, 'viewer/dist/stamp');
const SOURCE_GLOBS = ['viewer/**/*.{ts,html,css,json}', 'contract/src/*.ts', 'package-lock.json'];

type BuildViewerOptions = { onlyIfChanged: boolean; printSizes?: boolean };

/** Builds viewer/dist and compresses its files, unless that was done from these very sources. */
export async function buildViewer({
  onlyIfChanged,
  printSizes = false,
}: BuildViewerOptions): Promise<void> {
  const state = await hashSources();
  const built = await readFile(SOURCE_HASH_FILE, 'utf8').catch(() => undefined);
  if (onlyIfChanged && built === state) return;
  console.log('Building the viewer …');
  const build = spawn(process.execPath, [join(ROOT, 'viewer/build.ts')], {
    stdio: ['ignore', printSizes ? 'inherit' : 'ignore', 'inherit'],
  });
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new Error('The viewer could not be built; the reason is above.');
  await compressAssets();
  await writeFile(SOURCE_HASH_FILE, state);
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

/** As small as they get, once, so that no request pays for it. */
async function compressAssets(): Promise<void> {
  const names = await readdir(ASSETS_FOLDER);
  await Promise.all(
    names.map(async (name) => {
      const path = join(ASSETS_FOLDER, name);
      const plain = await readFile(path);
      const [br, gz] = await Promise.all([
        compressBrotli(plain),
        promisify(gzip)(plain, { level: 9 }),
      ]);
      await writeFile(`${path}.br`, br);
      await writeFile(`${path}.gz`, gz);
    }),
  );
}

function compressBrotli(plain: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
}
