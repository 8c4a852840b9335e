import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..');
/** Each has a build.ts that writes its dist: the code for browsers, and that of the worker. */
const WORKSPACES = ['viewer', 'console', 'sdk', 'pipeline'];

type BuildOptions = { onlyIfChanged: boolean; printSizes?: boolean };

/** Builds all that is built, and compresses what is for browsers; with `onlyIfChanged` only if a source has changed. An image has no sources of that. */
export async function buildWorkspaces(options: BuildOptions): Promise<void> {
  for (const workspace of WORKSPACES) await buildWorkspace(workspace, options);
}

async function buildWorkspace(
  workspace: string,
  { onlyIfChanged, printSizes = false }: BuildOptions,
): Promise<void> {
  if (onlyIfChanged && !existsSync(join(ROOT, workspace, 'build.ts'))) return;
  const sourceHashFile = join(ROOT, workspace, 'dist/source-hash');
  const startedAt = new Date();
  const sourceHash = await hashSources(workspace);
  const builtHash = await readFile(sourceHashFile, 'utf8').catch(() => undefined);
  // The service compares the time of this file with those of the sources of its worker.
  const setTime = () => utimes(sourceHashFile, startedAt, startedAt);
  if (onlyIfChanged && builtHash === sourceHash) return setTime().catch(ignoreReadOnly);
  console.log(`Building the ${workspace}...`);
  const build = spawn(process.execPath, [join(ROOT, workspace, 'build.ts')], {
    stdio: ['ignore', printSizes ? 'inherit' : 'ignore', 'inherit'],
  });
  const [exitCode] = await once(build, 'exit');
  if (exitCode !== 0) throw new Error(`Building the ${workspace} failed; see the messages above.`);
  await compressAssets(join(ROOT, workspace, 'dist/assets'));
  await writeFile(sourceHashFile, sourceHash);
  await setTime();
}

/** In an installation that its user cannot change, the times of the files do not change either. */
function ignoreReadOnly(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
}

async function hashSources(workspace: string): Promise<string> {
  const hash = createHash('sha256');
  const paths: string[] = [];
  const sources = [
    `${workspace}/**/*.{ts,tsx,html,css,json}`,
    'contract/src/*.ts',
    'package-lock.json',
  ];
  for await (const path of glob(sources, {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(dist|node_modules)(\/|$)|\.test\.tsx?$/.test(name),
  })) {
    paths.push(path);
  }
  for (const path of paths.sort())
    hash.update(`${path}\n`).update(await readFile(join(ROOT, path)));
  return hash.digest('hex');
}

/** Compresses each file at the highest level, so that the service does not compress during requests. */
async function compressAssets(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
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
