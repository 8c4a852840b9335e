import assert from 'node:assert/strict';
import { readFileSync, readlinkSync } from 'node:fs';
import { it } from 'node:test';
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
  // Chromium's own sandbox is on, where user namespaces can be nested.
  const [first] = processes;
  assert.equal(first?.command.includes('--no-sandbox'), false);
});
