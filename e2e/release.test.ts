import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { removeAfterTest } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { skipUnlessSelected } from '../scripts/optional-programs.ts';
import { waitUntilReady } from '../scripts/service-process.ts';
import { ApiClient } from './api-client.ts';
import { readResult } from './container/podman.ts';

const RELEASE = join(import.meta.dirname, '../scripts/release.ts');

test('the package of a release runs with npx', { skip: skipUnlessSelected() }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-release-'));
  removeAfterTest(t, folder);
  const released = await run(process.execPath, [RELEASE, folder]);
  assert.equal(released.exitCode, 0, released.output);
  const files = await readdir(folder);
  const archive = files.find((name) => name.endsWith('.tgz')) ?? '';
  assert.match(archive, /^cloche-\d/, files.join(' '));
  assert.ok(files.includes(archive.replace('.tgz', '.cdx.json')), files.join(' '));

  const installed = await run('npm', ['install', '--prefix', folder, join(folder, archive)]);
  assert.equal(installed.exitCode, 0, installed.output);
  const worker = await run(process.execPath, ['--eval', PRINT_WORKER], folder);
  assert.match(worker.output, /dist\/worker\/main\.js$/m);
  const port = await findFreePort();
  const child = spawn('npx', ['cloche-server'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group: npx starts the service as another process.
    detached: true,
    env: {
      PATH: process.env.PATH,
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
      CLOCHE_CHROMIUM: 'none',
    },
  });
  const closed = once(child, 'close');
  t.after(async () => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const origin = `http://localhost:${port}`;
  await waitUntilReady(origin, child, () => output);
  const readBootstrapToken = async () =>
    (await readFile(join(folder, 'bootstrap-token'), 'utf8')).trim();
  const api = await ApiClient.create({ origin, readBootstrapToken });
  const { body } = await api.upload(makeBox());
  assert.equal(body.status, 'ready', JSON.stringify(body));
  for (const path of ['/', '/docs', '/docs/examples', '/openapi.json', '/sdk/v1/cloche.js'])
    assert.equal((await fetch(origin + path)).status, 200, path);
});

const PRINT_WORKER =
  "import('./node_modules/cloche/pipeline/src/sandbox/node-permissions.js').then((m) => console.log(m.WORKER_ENTRY))";

function run(program: string, args: readonly string[], cwd = process.cwd()) {
  return readResult(spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
}
