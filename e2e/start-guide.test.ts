import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeAfterTest } from '@cloche/pipeline/testing/temporary-directory';
import type { Page } from 'playwright-core';
import { findFreePort } from '../scripts/find-free-port.ts';
import { skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { openSharedChromium } from './shared-chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'demo/sample.glb');
const EXAMPLE_URL = 'https://cloche.example.com';
/** Posters, an import and a first start of a browser, on a busy machine. */
const TIMEOUT_MS = 120_000;

const guide = readFileSync(join(ROOT, 'docs/start.md'), 'utf8');

/** Returns a section of the guide, by the start of its heading. */
function getSection(heading: string): string {
  const section = guide.split(/^## /m).find((text) => text.startsWith(heading));
  assert.ok(section, `docs/start.md has no section "${heading}"`);
  return section;
}

const listCommands = (section: string) =>
  [...section.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command = '']) => command);
/** The controls that a section names, in order: **Continue**. */
const listControls = (section: string) =>
  [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name);

test('the three steps of docs/start.md show a file in a page of its own', {
  skip: skipWithout('python3'),
}, async (t) => {
  const startMs = performance.now();
  const report = (what: string) =>
    t.diagnostic(`${((performance.now() - startMs) / 1000).toFixed(1)} s: ${what}`);
  const folder = await openFolder(t);
  const service = await startService(t, folder, listCommands(getSection('Step 1')));
  report('the service has started');
  const page = await openPage(t, service.address);

  const sitePort = await findFreePort();
  const site = `http://localhost:${sitePort}`;
  const values = {
    'API token': service.token,
    'Upload files': FILE,
    'Addresses of your pages': site,
  };
  const steps = [getSection('Step 2'), getSection('Step 3')];
  for (const name of steps.flatMap(listControls)) await useControl(page, name, values);
  const html = await page.evaluate('navigator.clipboard.readText()');
  report('the HTML is copied');

  await writeFile(join(folder, 'index.html'), `<!doctype html>${html}`);
  const [command = ''] = listCommands(getSection('Step 3'));
  assert.ok(command.includes(' 8000'), command);
  runInBackground(t, command.replace(' 8000', ` ${sitePort}`), { cwd: folder });
  await waitUntil('the page is served', () =>
    fetch(site).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  await page.goto(`${site}/`);
  const embed = page.frameLocator('iframe').locator('html[data-state="ready"]');
  await embed.waitFor({ timeout: TIMEOUT_MS });
  t.diagnostic(
    `${((performance.now() - startMs) / 1000).toFixed(1)} s from npm start to the embed`,
  );

  await page.goto(`http://127.0.0.1:${sitePort}/`);
  const refusal = page.frameLocator('iframe').locator('body');
  await refusal.waitFor();
  assert.equal(await page.frameLocator('iframe').locator('canvas').count(), 0);
});

test('the commands of docs/start.md create the HTML of a design', {
  skip: skipWithout('curl'),
}, async (t) => {
  const folder = await openFolder(t);
  const service = await startService(t, folder, listCommands(getSection('Step 1')));
  const section = getSection('The same with commands');
  const [token = '', upload = '', list = '', embed = '', createToken = '', insert = ''] =
    listCommands(section);
  const run = (command: string, values: Record<string, string> = {}) => {
    let script = `${token}\n${command}`.replaceAll(EXAMPLE_URL, service.address.slice(0, -1));
    for (const [example, value] of Object.entries({ 'cloche_sk_…': service.token, ...values })) {
      assert.ok(script.includes(example), `the command has no ${example}:\n${command}`);
      script = script.replaceAll(example, value);
    }
    return execFileSync('sh', ['-c', `set -e\n${script}`], { cwd: folder, encoding: 'utf8' });
  };
  const design = JSON.parse(run(upload, { 'chair.glb': FILE }));
  assert.equal(JSON.parse(run(list)).items[0].uri, design.uri);
  run(embed, { 'cloche:design:…': design.uri });
  const created = JSON.parse(run(createToken));
  assert.deepEqual(created.origins, ['https://shop.example']);
  const html = run(insert, { 'cloche_pk_…': created.token });
  const document = new URL(/<iframe src="([^"]+)"/.exec(html)?.[1] ?? '');
  await waitUntil(
    'the design is ready',
    async () => {
      const headers = { 'sec-fetch-dest': 'iframe', referer: 'https://shop.example/' };
      return (await fetch(document, { headers, referrer: '' })).status === 200;
    },
    { timeoutMs: TIMEOUT_MS },
  );
});

async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-start-'));
  removeAfterTest(t, folder);
  return folder;
}

/** Runs the command of the guide that starts the service. Returns the token and address that it prints. */
async function startService(t: TestContext, folder: string, commands: string[]) {
  assert.deepEqual(commands, ['npm ci && npm start']);
  const port = await findFreePort();
  // The packages are installed: a test that replaced them would break the tests that run beside it.
  const command = commands[0]?.replace('npm ci && ', '') ?? '';
  const output = runInBackground(t, command, {
    cwd: ROOT,
    env: { CLOCHE_PORT: String(port), CLOCHE_DATA: join(folder, 'data') },
  });
  const address = `http://localhost:${port}/`;
  await waitUntil(
    () => `the address in the output:\n${output.text}`,
    () => {
      assert.ok(!output.hasEnded, `the command has ended:\n${output.text}`);
      return output.text.includes(`open ${address}`);
    },
    { timeoutMs: TIMEOUT_MS },
  );
  const [, token = ''] = /^bootstrap token: (\S+)$/m.exec(output.text) ?? [];
  assert.match(token, /^cloche_sk_/);
  return { address, token };
}

/** Runs a shell command with everything that it starts, until the test ends. */
function runInBackground(
  t: TestContext,
  command: string,
  { cwd, env }: { cwd: string; env?: Record<string, string> },
): { text: string; hasEnded: boolean } {
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd,
    // A process group of its own, to end the command with its children.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output = { text: '', hasEnded: false };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.text += text;
    });
  }
  const closed = once(child, 'close').then(() => {
    output.hasEnded = true;
  });
  t.after(async () => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
    await closed;
  });
  return output;
}

async function openPage(t: TestContext, address: string): Promise<Page> {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const context = await browser.newContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], {
    origin: address.slice(0, -1),
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(address);
  return page;
}

/** Enters the value of a field, opens a page, or clicks a button. The guide names each by its label. */
async function useControl(page: Page, name: string, values: Record<string, string>): Promise<void> {
  const value = values[name];
  const button = page.getByRole('button', { name, exact: true });
  if (name === 'Upload files') {
    const chooser = page.waitForEvent('filechooser');
    await button.click();
    await (await chooser).setFiles(value ?? '');
    await page.getByRole('link', { name: 'sample.glb' }).waitFor();
  } else if (name === 'Embed') {
    await page.getByRole('link', { name, exact: true }).click();
    // The list of designs, which is shown until then, has a link of the same name.
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'sample' }).click();
  } else if (value !== undefined) await page.getByLabel(name, { exact: true }).fill(value);
  else await button.click();
  if (name === 'Create token') await page.getByText('The token is in the code').waitFor();
  if (name === 'Copy') await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
}
