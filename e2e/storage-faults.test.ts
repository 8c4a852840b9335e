import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../scripts/find-free-port.ts';
import { SERVICE_ARGUMENTS } from '../scripts/service-process.ts';
import { fillDisk, fillRest, mountTmpfs } from '../server/testing/small-disk.ts';
import { ApiClient } from './api-client.ts';
import { THOROUGH } from './rounds.ts';
import { ServiceProcess } from './service-process.ts';

const KIB = 1024;
const isRoot = process.geteuid?.() === 0;

/** Free space at the first start: the start fails later with each. */
const FREE_KIB = THOROUGH ? [0, 4, 8, 16, 24, 32, 64] : [0, 16];

describe('the first start', () => {
  it('on a full disk: one sentence, and exit code 1', async (t) => {
    for (const freeKib of FREE_KIB) {
      const disk = await mountTmpfs(t);
      if (disk === undefined) return;
      await fillDisk(disk, freeKib * KIB);
      const outcome = await startService({ CLOCHE_DATA: join(disk, 'data') });
      assertOneSentence(outcome, /disk has no space left|cannot be created \(ENOSPC\)/);
    }
  });

  it('with a limit of file sizes that is too low: one sentence, and exit code 1', async (t) => {
    const directory = await openTemporaryDirectory(t);
    for (const blocks of THOROUGH ? [0, 1, 8, 64, 200] : [0, 64]) {
      const data = join(directory, String(blocks));
      const outcome = await startService({ CLOCHE_DATA: data }, `ulimit -f ${blocks}`);
      assertOneSentence(outcome, /no space left|how large files may be/);
    }
  });
});

describe('a start with data that cannot be written to', () => {
  it('on a disk that is read-only: one sentence, and exit code 1', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const service = await ServiceProcess.open(t, { CLOCHE_DATA: join(disk, 'data') });
    assert.equal(await service.stop('SIGTERM'), 0);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    for (const name of ['data', 'missing']) {
      const outcome = await startService({ CLOCHE_DATA: join(disk, name) });
      assertOneSentence(outcome, /cannot write to|cannot be created \(EROFS\)/);
    }
  });

  it('of which one folder is on a disk that is read-only: one sentence, and exit code 1', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const data = await openTemporaryDirectory(t);
    await symlink(disk, join(data, 'blobs'));
    const outcome = await startService({ CLOCHE_DATA: data });
    assertOneSentence(outcome, /cannot write to/);
  });

  it('in a folder of another user: one sentence, and exit code 1', async (t) => {
    const data = join(await openTemporaryDirectory(t), 'data');
    await mkdir(data);
    await writeFile(join(data, 'lock.sqlite'), '');
    await chmod(join(data, '..'), 0o755);
    await chmod(data, 0o555);
    // Root may write to every folder, unless it gives up this capability.
    const prefix = isRoot
      ? 'exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override'
      : '';
    if (isRoot && !canGiveUpCapabilities()) return t.skip('setpriv does not work here');
    await chmod(join(data, 'lock.sqlite'), 0o444);
    const outcome = await startService({ CLOCHE_DATA: data }, '', prefix);
    assertOneSentence(outcome, /cannot write to/);
  });
});

describe('a stop', () => {
  it('on a full disk: exit code 0, and no stack trace', async (t) => {
    const disk = await mountTmpfs(t);
    if (disk === undefined) return;
    const service = await ServiceProcess.open(t, { CLOCHE_DATA: join(disk, 'data') });
    const client = await ApiClient.create(service);
    await fillRest(disk);
    // Fills the free pages of the database too; what remains to be stored is when the token was used.
    const body = JSON.stringify({ capabilities: ['embed'], origins: ['https://shop.example'] });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    while ((await client.request('/v1/tokens', init)).status !== 507) await fillRest(disk);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.doesNotMatch(service.output, STACK_TRACE);
  });
});

type Outcome = { status: number | null; stderr: string; stdout: string };

const STACK_TRACE = /\bat .*(:\d+:\d+|node:internal)|UnhandledPromise|throw /;

/** Runs the service, which is expected to end by itself. `limit` is a shell command that is run first. */
async function startService(
  environment: NodeJS.ProcessEnv,
  limit = '',
  prefix = 'exec',
): Promise<Outcome> {
  const script = `${limit}\n${prefix} "$0" "$@"`;
  const port = String(await findFreePort());
  const child = spawn('sh', ['-c', script, process.execPath, ...SERVICE_ARGUMENTS], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, CLOCHE_PORT: port, CLOCHE_CHROMIUM: 'none', ...environment },
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  // If it starts after all, it is stopped, and the assertions fail.
  const isStarted = (chunk: Buffer) => chunk.includes('Cloche is available') && child.kill();
  child.stdout.on('data', isStarted);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await exited, stdout, stderr };
}

function assertOneSentence({ status, stderr, stdout }: Outcome, expected: RegExp): void {
  assert.equal(status, 1, stderr + stdout);
  assert.match(stderr, /^cloche: CLOCHE_DATA is [^\n]+\.\n$/);
  assert.match(stderr, expected);
  assert.doesNotMatch(stdout, STACK_TRACE);
}

function canGiveUpCapabilities(): boolean {
  try {
    execFileSync('setpriv', ['--bounding-set=-dac_override', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
