import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Podman } from './podman.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Debian 12, made by `createBaseImages`. */
export const BASE_IMAGE = 'localhost/base';
const NODE_IMAGE = 'localhost/node';

/** The same packages and files as in the image `debian:bookworm-slim`. */
const BASE_OPTIONS = [
  ...['--variant=apt', '--include=passwd,usr-is-merged', '--quiet'],
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  ...['doc', 'man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
];

/** Creates the base images of the Containerfile from Debian's packages, because there may be no image registry. */
export async function createBaseImages(podman: Podman): Promise<void> {
  const archive = join(podman.folder, 'base.tar');
  const { exitCode, output } = await podman.runProgram('unshare', [
    // Its processes and mounts end with it.
    ...['--mount', '--pid', '--fork', '--kill-child', 'mmdebstrap'],
    ...BASE_OPTIONS,
    'bookworm',
    archive,
  ]);
  assert.equal(exitCode, 0, output);
  await podman.run('import', '--quiet', archive, BASE_IMAGE);
  const context = join(podman.folder, 'node');
  await mkdir(context);
  await cp(process.execPath, join(context, 'node'));
  await cp(await findNpm(), join(context, 'npm'), { recursive: true });
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const lines = [
    `FROM ${BASE_IMAGE}`,
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ...(certificates ? [`ENV NODE_EXTRA_CA_CERTS=${certificates}`] : []),
  ];
  await writeFile(join(context, 'Containerfile'), lines.join('\n'));
  await podman.build('--tag', NODE_IMAGE, context);
}

/** Builds a target of the Containerfile. The build uses the packages that npm has downloaded before. */
export async function buildTarget(podman: Podman, target: string): Promise<string> {
  const image = `localhost/cloche-${target}`;
  const cache = join(homedir(), '.npm');
  await mkdir(cache, { recursive: true });
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  await podman.build(
    ...['--format', 'docker', '--target', target, '--tag', image],
    ...['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`, '--build-arg', `BASE_IMAGE=${BASE_IMAGE}`],
    ...['--volume', `${cache}:/root/.npm`],
    ...(certificates ? ['--volume', `${certificates}:${certificates}:ro`] : []),
    ROOT,
  );
  return image;
}

/** The folder of the npm of this machine. */
async function findNpm(): Promise<string> {
  const program = execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  return dirname(dirname(await realpath(program)));
}
