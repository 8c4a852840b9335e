import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { waitUntil } from '../scripts/wait-until.ts';

/** Runs the demo; `waitForOutput` returns the first group of a pattern once it is printed. */
function startDemo(t: TestContext) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, CLOCHE_CHROMIUM: 'none' },
  });
  t.after(() => child.kill('SIGTERM'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const waitForOutput = (pattern: RegExp): Promise<string> =>
    waitUntil(
      () => `${pattern} in the output:\n${output}`,
      () => {
        assert.equal(child.exitCode, null, `The demo has exited:\n${output}`);
        return pattern.exec(output)?.[1];
      },
      { timeoutMs: 240_000 },
    );
  return { child, waitForOutput, getOutput: () => output };
}

test('the demo prints each request, serves its pages, and leaves nothing behind', async (t) => {
  const { child, waitForOutput, getOutput } = startDemo(t);
  const shop = await waitForOutput(/\(shows the design\): +(http:\/\/localhost:\d+)/);
  const unlisted = await waitForOutput(/\(shows no design\): +(http:\/\/127\.0\.0\.1:\d+)/);
  const folder = await waitForOutput(/files are in (.+)\.\n/);
  await waitForOutput(/(visitors load)/);
  for (const response of ['201 {"id"', '200 <iframe ', '201 {"id":"tok_']) {
    assert.ok(getOutput().includes(response), response);
  }
  const shopHtml = await fetchText(shop);
  const [snippet = '', documentUrl = ''] = /<iframe src="([^"]+)"/.exec(shopHtml) ?? [];
  const [, examples = ''] = /href="([^"]+\/docs\/examples)"/.exec(shopHtml) ?? [];
  assert.equal((await fetch(examples)).status, 200);
  assert.ok((await fetchText(unlisted)).includes(snippet), 'both pages have the same HTML');
  const fetchStatus = async (page: string) => {
    const headers = { 'sec-fetch-dest': 'iframe', referer: `${page}/` };
    return (await fetch(documentUrl, { headers })).status;
  };
  assert.equal(await fetchStatus(shop), 200);
  assert.equal(await fetchStatus(unlisted), 403);

  const token = await waitForOutput(/prints the token: +cat (.+)\n/);
  assert.ok(existsSync(token));
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(existsSync(folder), false);
});

test('two demos that start at the same moment have services and pages of their own', async (t) => {
  const demos = [startDemo(t), startDemo(t)];
  const urls = await Promise.all(
    demos.map(async ({ waitForOutput }) => {
      await waitForOutput(/(visitors load)/);
      return Promise.all([
        waitForOutput(/service runs at (http\S+)\. /),
        waitForOutput(/\(shows the design\): +(http:\/\/localhost:\d+)/),
        waitForOutput(/\(shows no design\): +(http:\/\/127\.0\.0\.1:\d+)/),
      ]);
    }),
  );
  const ports = urls.flat().map((url) => new URL(url).port);
  assert.equal(new Set(ports).size, 6, ports.join());
  for (const [service = '', shop = ''] of urls)
    assert.ok((await fetchText(shop)).includes(`<iframe src="${service}/`), `${shop}: ${service}`);
});

const EXIT_CAUSES: [cause: string, end: (child: ChildProcess) => void][] = [
  ['its terminal is closed', (child) => child.kill('SIGHUP')],
  ['its output is closed', (child) => child.stdout?.destroy()],
];
for (const [cause, end] of EXIT_CAUSES) {
  test(`the demo stops and cleans up when ${cause}`, async (t) => {
    const { child, waitForOutput } = startDemo(t);
    const folder = await waitForOutput(/files are in (.+)\.\n/);
    end(child);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.equal(existsSync(folder), false);
  });
}

test('the service stops when the demo is killed', async (t) => {
  const { child, waitForOutput } = startDemo(t);
  const service = await waitForOutput(/service runs at (http\S+)\. /);
  const folder = await waitForOutput(/files are in (.+)\.\n/);
  // The service stops listening before it has ended.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  child.kill('SIGKILL');
  await waitUntil('the service to stop', () =>
    fetch(`${service}/livez`).then(
      () => false,
      () => true,
    ),
  );
});

async function fetchText(url: string): Promise<string> {
  return (await fetch(url)).text();
}
