import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { findProgram } from '../../../scripts/optional-programs.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { listBrowserFiles } from './bubblewrap-mounts.ts';
import { findInstallCommand } from './find-install-command.ts';
import { getBrowserLimits, getDefaultLimits, getWorkerLimits } from './limits.ts';
import { runIsolated } from './run-isolated.ts';
import { runProcess } from './run-process.ts';
import { openSandbox, SandboxUnavailableError } from './sandbox.ts';
import { acquireSandboxUser } from './sandbox-user.ts';

const SANDBOX = JSON.stringify(import.meta.resolve('./sandbox.ts'));
/** Prints the report of a sandbox of the level `auto`. */
const PRINT_REPORT = `
  import { openSandbox } from ${SANDBOX};
  console.log(JSON.stringify((await openSandbox()).report));`;

it('without bubblewrap, the reason has the command that installs it', async () => {
  assert.deepEqual(await findBubblewrap([]), {
    reason: `bubblewrap is not installed${await findInstallCommand('bubblewrap')}`,
  });
});

describe('the level strict', { skip: await skipWithoutStrict() }, () => {
  it('shows a worker its code and its input, and nothing to write to', async (t) => {
    const directory = await createJob(
      t,
      `import fs from 'node:fs';
      const writable = (path) => { try { fs.writeFileSync(path, 'x'); return path; } catch { return []; } };
      const list = (path) => { try { return fs.readdirSync(path).sort(); } catch (error) { return error.code; } };
      console.log(JSON.stringify({
        job: list('.'),
        out: list('out'),
        parent: list('..'),
        etc: list('/etc'),
        proc: list('/proc'),
        dev: list('/dev'),
        programs: list('/usr/bin'),
        writable: ['/x', './x', 'source', '/tmp/x', '/dev/shm/x', 'out/x'].flatMap(writable),
        user: [process.getuid(), process.getgid(), process.getgroups()].join(),
        pid: process.pid,
        host: (await import('node:os')).hostname(),
        variables: Object.keys(process.env),
      }));`,
    );
    const isRoot = process.getuid?.() === 0;
    const user = isRoot ? /^(655[23]\d),\1,/ : new RegExp(`^${process.getuid?.()},`);
    const {
      user: workerUser,
      host: _,
      ...view
    } = JSON.parse(await runWithoutRestrictions(directory));
    assert.match(workerUser, user);
    assert.deepEqual(view, {
      job: ['out', 'source', 'worker.ts'],
      // With its own user, the worker cannot read the results either.
      out: isRoot ? 'EACCES' : [],
      parent: [directory.split('/').at(-1)],
      etc: 'ENOENT',
      proc: 'ENOENT',
      dev: 'ENOENT',
      programs: ['prlimit', 'setpriv'],
      writable: [],
      pid: 2,
      variables: ['PWD'],
    });
  });

  it('lets no other user of the machine read the input', async (t) => {
    const directory = await createJob(t, '');
    await runWithoutRestrictions(directory);
    const script = 'ls -ln "$0" | tail -n +2 | cut -c 1-10; stat -c %a "$0"';
    const lines = execFileSync('/bin/sh', ['-c', script, directory], { encoding: 'utf8' });
    const mode = process.getuid?.() === 0 ? '-rw-r-----' : '-rw-------';
    assert.deepEqual(lines.trim().split('\n').sort(), [
      mode,
      mode,
      process.getuid?.() === 0 ? '750' : '700',
      'drwx------',
    ]);
  });

  it('shows a browser its own directory, and no other directory of /opt', async (t) => {
    const isolation = await getBubblewrap();
    await using user = isolation.changesUser ? await acquireSandboxUser() : undefined;
    const { output } = await runProcess({
      ...isolation.wrapBrowser(['/usr/bin/ls', '/'], {
        directory: await openTemporaryDirectory(t),
        limits: getBrowserLimits(),
        userId: user?.id,
      }),
      directory: '/',
      timeoutMs: 30_000,
    });
    const visible = output.split('\n');
    assert.ok(visible.includes('usr'), output);
    for (const name of ['opt', 'home', 'root', 'var', 'srv'])
      assert.ok(!visible.includes(name), name);
    const files = listBrowserFiles('/opt/google/chrome/chrome', '/opt/cloche/data/work/browser-1');
    assert.deepEqual(
      files.filter((path) => path.startsWith('/opt')),
      ['/opt/google/chrome'],
    );
    assert.throws(() => listBrowserFiles('/opt/chrome', '/opt/cloche/data/work'), /data directory/);
  });

  it('is not available where namespaces are refused, and the report says so', () => {
    const bwrap = findProgram('bwrap') as string;
    // As root of a container, and as another user.
    for (const user of [[], ['--uid', '1000']]) {
      const outer = ['--dev-bind', '/', '/', '--unshare-user', '--disable-userns', ...user];
      const command = [process.execPath, '--input-type=module', '--eval', PRINT_REPORT];
      const { stdout, stderr } = spawnSync(bwrap, [...outer, ...command], { encoding: 'utf8' });
      const report = JSON.parse(stdout || assert.fail(stderr));
      assert.equal(report.level, 'reduced');
      assert.match(report.reason, /^bubblewrap does not work: /);
      assert.ok(report.missing.includes('system calls: there is no filter'));
    }
  });

  it('must be available if it is required', async () => {
    const level = (await openSandbox({ level: 'strict' })).report.level;
    assert.equal(level, 'strict');
    const bwrap = findProgram('bwrap') as string;
    const outer = ['--dev-bind', '/', '/', '--unshare-user', '--disable-userns'];
    const script = PRINT_REPORT.replace('openSandbox()', `openSandbox({ level: 'strict' })`);
    const command = [process.execPath, '--input-type=module', '--eval', script];
    const { status, stderr } = spawnSync(bwrap, [...outer, ...command], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(SandboxUnavailableError.name));
  });
});

async function getBubblewrap() {
  const bubblewrap = await findBubblewrap();
  assert.ok('level' in bubblewrap, JSON.stringify(bubblewrap));
  return bubblewrap;
}

/** A job directory, as the service creates it. */
async function createJob(t: TestContext, script: string): Promise<string> {
  const directory = join(await openTemporaryDirectory(t), 'job');
  await mkdir(join(directory, 'out'), { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  for (const [name, content] of Object.entries({ 'worker.ts': script, source: 'x' })) {
    await writeFile(join(directory, name), content, { mode: 0o600 });
    await chown(join(directory, name), process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  }
  return directory;
}

/** Runs `worker.ts` in the isolation alone, without the restrictions of JavaScript. Returns its output. */
async function runWithoutRestrictions(directory: string): Promise<string> {
  const { output } = await runIsolated(await getBubblewrap(), {
    command: [process.execPath, 'worker.ts'],
    directory,
    limits: getWorkerLimits(getDefaultLimits()),
    timeoutMs: 30_000,
  });
  return output;
}
