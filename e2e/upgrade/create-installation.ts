import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { stopProcess, waitUntilReady } from '../../scripts/service-process.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { ApiClient, SHOP_ORIGIN } from '../api-client.ts';
import type { OldInstallation } from './old-installation.ts';

/**
 * Creates an installation with the program of a checkout, for the tests of upgrades: see README.md in this folder.
 *
 * Usage: node e2e/upgrade/create-installation.ts CHECKOUT NAME [--backup]
 */
const [checkout = '', name = ''] = process.argv.slice(2);
assert.match(name, /^[a-z0-9.-]+$/, 'Usage: create-installation.ts CHECKOUT NAME [--backup]');
const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'cloche-old-'));
const tokenFile = join(folder, 'bootstrap-token');
const data = join(folder, 'data');

const port = await findFreePort();
const origin = `http://localhost:${port}`;
const child = spawn(process.execPath, [resolve(checkout, 'server/src/main.ts')], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    PATH: process.env.PATH,
    CLOCHE_PORT: String(port),
    CLOCHE_DATA: data,
    CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
  },
});
await waitUntilReady(origin, child);
const readBootstrapToken = async () => (await readFile(tokenFile, 'utf8')).trim();
const client = await ApiClient.create({ origin, readBootstrapToken });
const installation = await fillInstallation();
const program = resolve(checkout, 'server/bin/cloche-server.js');
// The first versions had no such command.
if (process.argv.includes('--backup'))
  await execute(process.execPath, [program, 'backup', join(folder, 'backup')], {
    env: { PATH: process.env.PATH, CLOCHE_DATA: data },
  });
await stopProcess(child, 'SIGTERM');

await writeFile(
  join(folder, 'installation.json'),
  `${JSON.stringify(installation, undefined, 2)}\n`,
);
const installations = join(import.meta.dirname, 'installations');
await mkdir(installations, { recursive: true });
const archive = join(installations, `${name}.tar.gz`);
const leftOut = ['reserve', 'lock', 'work', 'bootstrap-token', 'backup/lock'];
await execute('tar', [
  '-C',
  folder,
  ...leftOut.map((path) => `--exclude=${path}`),
  '-czf',
  archive,
  '.',
]);
await rm(folder, { recursive: true, force: true });
console.log(archive);

/** Adds a design with a texture and a poster, its embed on a page, and a view of it. */
async function fillInstallation(): Promise<OldInstallation> {
  const model = makeBox({ name: 'chair', textured: true });
  const { body } = await client.upload(model);
  const design = await client.waitUntilSettled(body.id);
  assert.equal(design.status, 'ready');
  const html = await sendJson('/embed/iframe/v1', { uri: design.uri });
  const request = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
  const { token: embedToken } = JSON.parse(await sendJson('/v1/tokens', request));
  const config = await waitUntil('the poster is ready', async () => {
    const config = await client.getViewerConfig(design.id);
    return config.posters !== undefined && config;
  });
  const artifact = await client.getArtifact(config);
  return {
    commit: (await execute('git', ['-C', checkout, 'rev-parse', 'HEAD'])).stdout.trim(),
    token: await readBootstrapToken(),
    embedToken,
    designId: design.id,
    html,
    sourceSha256: toSha256(model),
    artifactSha256: toSha256(artifact),
  };
}

async function sendJson(path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await client.request(path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return text;
}

function toSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
