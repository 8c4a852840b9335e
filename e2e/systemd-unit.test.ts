import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findFreePort } from '../scripts/find-free-port.ts';
import { stopProcess, waitUntilReady } from '../scripts/service-process.ts';
import { readSnapshot } from '../server/testing/read-snapshot.ts';
import { parseUnitSection, toStartScript } from './unit-file.ts';

const ROOT = join(import.meta.dirname, '..');
const UNIT = readFileSync(join(ROOT, 'deploy/cloche.service'), 'utf8');

/** The steps of docs/install.md, as the lines of a shell script. */
function readInstallSteps(): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/install.md'), 'utf8').split(
    '## Keep it running\n',
  );
  return (/```sh\n(.*?)```/s.exec(section)?.[1] ?? '').trim().split('\n');
}

/** Steps that this test cannot run: it has installed the dependencies already, and has no systemd. */
const SKIPPED_STEPS = ['npm ci --omit=dev', 'systemctl enable --now cloche'];

/**
 * A script for a mount namespace of its own, with this checkout at /opt/cloche, read-only, and with its
 * own /etc and /var/lib.
 */
const NAMESPACE_SCRIPT = `set -e
  mount -t tmpfs tmpfs /opt
  mkdir /opt/cloche /opt/etc /opt/lib
  cp -a /etc/. /opt/etc
  mount --bind "${ROOT}" /opt/cloche
  mount -o remount,bind,ro /opt/cloche
  mount --bind /opt/etc /etc
  mount --bind /opt/lib /var/lib
  mkdir -p /etc/systemd/system
  `;

/** Says why the test cannot run, or undefined. */
function findObstacle(): string | undefined {
  const { status, stderr, error } = spawnSync(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', 'mount -t tmpfs tmpfs /opt'],
    { encoding: 'utf8' },
  );
  return status === 0 ? undefined : `no mount namespace as root: ${error ?? stderr.trim()}`;
}

function runInNamespace(script: string): ChildProcess {
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', NAMESPACE_SCRIPT + script];
  return spawn('unshare', args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  });
}

/** Follows the steps of the documentation and starts the unit. */
async function startUnit(t: TestContext) {
  const steps = readInstallSteps();
  for (const step of SKIPPED_STEPS) assert.ok(steps.includes(step), step);
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const script = [
    ...steps.filter((step) => !SKIPPED_STEPS.includes(step)),
    `echo CLOCHE_PORT=${port} >> /etc/cloche.env`,
    // Posters have tests of their own.
    'echo CLOCHE_CHROMIUM=none >> /etc/cloche.env',
    `sed -i s,https://cloche.example.com,${origin}, /etc/cloche.env`,
    'cmp deploy/cloche.service /etc/systemd/system/cloche.service',
    toStartScript(parseUnitSection(UNIT, 'Service')),
  ].join('\n');
  const child = runInNamespace(script);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  t.after(() => stopProcess(child, 'SIGKILL'));
  await waitUntilReady(origin, child, () => output);
  return { child, origin, getOutput: () => output };
}

test('the unit runs as an unprivileged user from a read-only checkout, and processes a file', async (t) => {
  const obstacle = findObstacle();
  if (obstacle !== undefined) return t.skip(obstacle);
  const before = await readSnapshot(join(ROOT, 'viewer/dist'));
  const { child, origin, getOutput } = await startUnit(t);
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const [, uid] = /^Uid:\t(\d+)/m.exec(status) ?? [];
  assert.notEqual(uid, '0', 'the service does not run as root');
  assert.match(status, /^CapEff:\t0+$/m);
  assert.match(await readlink(`/proc/${child.pid}/exe`), /node$/);

  assert.match(getOutput(), /bootstrap token was written to \/var\/lib\/cloche\/bootstrap-token/);
  const data = `/proc/${child.pid}/root/var/lib/cloche`;
  const token = readFileSync(join(data, 'bootstrap-token'), 'utf8').trim();
  const response = await fetch(`${origin}/v1/designs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      prefer: 'wait=60',
    },
    body: new Uint8Array(makeBox({ name: 'box' })),
  });
  const design = (await response.json()) as { status: string };
  assert.equal(design.status, 'ready', `${JSON.stringify(design)} ${getOutput()}`);

  assert.equal(await stopProcess(child, 'SIGTERM'), 0);
  assert.deepEqual(await readSnapshot(join(ROOT, 'viewer/dist')), before);
});

test('a build that is current is not built again: nothing is written into the checkout', (t) => {
  const obstacle = findObstacle();
  if (obstacle !== undefined) return t.skip(obstacle);
  const script = `cd /opt/cloche
    exec setpriv --reuid=65534 --regid=65534 --clear-groups node_modules/.bin/node scripts/build.ts --if-changed`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', NAMESPACE_SCRIPT + script];
  assert.equal(execFileSync('unshare', args, { encoding: 'utf8' }), '');
});

test('systemd accepts the unit file', (t) => {
  const obstacle = findObstacle();
  if (obstacle !== undefined) return t.skip(obstacle);
  if (spawnSync('systemd-analyze', ['--version']).error) return t.skip('no systemd-analyze');
  const script = `cp /opt/cloche/deploy/cloche.service /etc/systemd/system/
    systemd-analyze verify --man=no --recursive-errors=no cloche.service`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', NAMESPACE_SCRIPT + script];
  const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
  assert.deepEqual([status, stderr.includes('cloche.service')], [0, false], stderr);
});
