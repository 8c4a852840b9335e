import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { it } from 'node:test';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { findDescendants } from '../../testing/processes.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { findBrowsers } from './find-browsers.ts';
import { launchBrowser } from './launch-browser.ts';

it('every process of the browser has namespaces of its own and a filter, and no capability of the host', {
  skip: await skipWithoutStrict(),
}, async (t) => {
  const directory = await openTemporaryDirectory(t);
  const { isolation } = await openSandbox();
  await using browser = await launchBrowser(await findBrowsers(), { directory, isolation });
  await browser.cdp.send('Target.createTarget', { url: 'about:blank' });
  const processes = findDescendants(browser.pid).filter(
    ({ command }) => !command.split('\0')[0]?.endsWith('bwrap'),
  );
  assert.ok(processes.length >= 2, 'the browser, and its children');
  for (const { pid, command } of processes) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    assert.match(status, /^NoNewPrivs:\t1$/m, command);
    assert.match(status, /^Seccomp:\t2$/m, command);
    if (process.getuid?.() === 0)
      assert.match(status, /^Uid:\t(655[23][0-9])\t\1\t\1\t\1$/m, command);
    for (const namespace of ['net', 'mnt', 'pid', 'ipc', 'uts']) {
      const own = readlinkSync(`/proc/self/ns/${namespace}`);
      assert.notEqual(
        readlinkSync(`/proc/${pid}/ns/${namespace}`),
        own,
        `${namespace}: ${command}`,
      );
    }
  }
});

it("Chromium's own sandbox is on wherever the system allows it, at both levels", async (t) => {
  if (process.platform !== 'linux') return t.skip('it is read from /proc');
  for (const level of ['auto', 'reduced'] as const) {
    const { isolation } = await openSandbox({ level });
    if (!isolation.allowsChromiumSandbox) continue;
    const directory = await openTemporaryDirectory(t);
    await using browser = await launchBrowser(await findBrowsers(), { directory, isolation });
    await browser.cdp.send('Target.createTarget', { url: 'about:blank' });
    // A renderer enters its sandbox after it has started.
    const renderers = await waitUntil('a renderer in its sandbox', () => {
      const found = findDescendants(browser.pid).filter(
        ({ pid, command }) =>
          command.includes('--type=renderer') && /^Seccomp:\t2$/m.test(readStatus(pid)),
      );
      return found.length > 0 && found;
    });
    const service = countPidNamespaces(process.pid);
    for (const { pid, command } of renderers) {
      assert.equal(command.includes('--no-sandbox'), false);
      // Its own PID namespace, in addition to that of bubblewrap.
      const own = isolation.level === 'strict' ? 2 : 1;
      assert.ok(countPidNamespaces(pid) >= service + own, level);
    }
    if (isolation.changesUser)
      for (const { pid } of renderers)
        assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\t655[23]\d/m);
  }
});

it('the level that was chosen applies to the browser', {
  skip: await skipWithoutStrict(),
}, async (t) => {
  const { isolation } = await openSandbox({ level: 'reduced' });
  const directory = await openTemporaryDirectory(t);
  await using browser = await launchBrowser(await findBrowsers(), { directory, isolation });
  const commands = findDescendants(browser.pid).map(({ command }) => command);
  assert.ok(commands.length > 0);
  assert.deepEqual(
    commands.filter((command) => command.includes('bwrap')),
    [],
  );
});

it('a browser that is not started keeps no user of the sandbox', {
  timeout: 60_000,
}, async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has these users');
  const { isolation } = await openSandbox({ level: 'reduced' });
  const options = { directory: '/does/not/exist', isolation: { ...isolation, changesUser: true } };
  const browser = { name: 'true', resolvePath: async () => '/bin/true' };
  // There are fourteen users.
  for (let count = 0; count < 15; count++) await assert.rejects(launchBrowser([browser], options));
});

it('a launch without free file descriptors fails, and leaves no profile', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const script = `
    import { closeSync, openSync, readdirSync } from 'node:fs';
    import { launchBrowser } from ${JSON.stringify(import.meta.resolve('./launch-browser.ts'))};
    const directory = ${JSON.stringify(directory)};
    const isolation = { wrapBrowser: (command) => ({ command }) };
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    // Enough to remove the profile, but not for the pipes of the browser.
    for (const file of open.slice(0, 3)) closeSync(file);
    const launched = launchBrowser([{ resolvePath: async () => '/bin/true' }], { directory, isolation });
    const message = await launched.catch((error) => error.message);
    console.log(JSON.stringify({ message, profiles: readdirSync(directory) }));`;
  const { stdout, stderr, status } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"', process.execPath, script],
    { encoding: 'utf8' },
  );
  const { message, profiles } = JSON.parse(stdout || assert.fail(stderr));
  assert.match(message, /^No browser starts\. Error: spawn \/bin\/true EMFILE/);
  assert.deepEqual(profiles, []);
  // An `error` event without a listener would end the service.
  assert.equal(status, 0, stderr);
});

/** Empty if the process has just exited. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** A process has an id in each PID namespace that contains it. */
function countPidNamespaces(pid: number): number {
  const [, ids = ''] = /^NSpid:\s+(.*)$/m.exec(readStatus(pid)) ?? [];
  return ids.split(/\s+/).length;
}
