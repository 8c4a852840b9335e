import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;

/** Runs the demo; `saying` waits for what it says. */
function startDemo(t: TestContext) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, CLOCHE_CHROMIUM: 'none' },
  });
  t.after(() => child.kill('SIGTERM'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const saying = async (what: RegExp): Promise<string> => {
    for (const deadline = Date.now() + TIMEOUT_MS; ; await wait(50)) {
      const [, found] = what.exec(said) ?? [];
      if (found !== undefined) return found;
      assert.ok(Date.now() < deadline && child.exitCode === null, `no ${what} in:\n${said}`);
    }
  };
  return { child, saying, said: () => said };
}

test('the demo shows each request, leads to its pages, and leaves nothing behind', async (t) => {
  const { child, saying, said } = startDemo(t);
  const shop = await saying(/page the token was made for: +(http:\/\/localhost:\d+)/);
  const foreign = await saying(/page that is not on the list: +(http:\/\/127\.0\.0\.1:\d+)/);
  const folder = await saying(/files are in (.+)\.\n/);
  await saying(/(visitors load)/);
  for (const answer of ['201 {"id"', '200 <iframe ', '201 {"id":"tok_']) {
    assert.ok(said().includes(answer), answer);
  }
  const [snippet = '', address = ''] = /<iframe src="([^"]+)"/.exec(await fetchText(shop)) ?? [];
  assert.ok((await fetchText(foreign)).includes(snippet), 'both pages have the same HTML');
  const framed = async (page: string) => {
    const headers = { 'sec-fetch-dest': 'iframe', referer: `${page}/` };
    return (await fetch(address, { headers })).status;
  };
  assert.equal(await framed(shop), 200);
  assert.equal(await framed(foreign), 403);

  const token = await saying(/TOKEN=\$\(cat (.+)\)\n/);
  assert.ok(existsSync(token));
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(existsSync(folder), false);
});

const EXIT_CAUSES: [how: string, end: (child: ChildProcess) => void][] = [
  ['its terminal is closed', (child) => child.kill('SIGHUP')],
  ['nobody reads on', (child) => child.stdout?.destroy()],
];
for (const [how, end] of EXIT_CAUSES) {
  test(`the demo stops in order when ${how}`, async (t) => {
    const { child, saying } = startDemo(t);
    const folder = await saying(/files are in (.+)\.\n/);
    end(child);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.equal(existsSync(folder), false);
  });
}

test('the demo leaves no service behind when it is killed', async (t) => {
  const { child, saying } = startDemo(t);
  const service = await saying(/service answers at (http\S+);/);
  const folder = await saying(/files are in (.+)\.\n/);
  t.after(() => rm(folder, { recursive: true, force: true }));
  child.kill('SIGKILL');
  const answers = () =>
    fetch(`${service}/livez`).then(
      () => true,
      () => false,
    );
  for (const deadline = Date.now() + TIMEOUT_MS; await answers(); await wait(50)) {
    assert.ok(Date.now() < deadline, 'it still answers');
  }
});

async function fetchText(url: string): Promise<string> {
  return (await fetch(url)).text();
}
