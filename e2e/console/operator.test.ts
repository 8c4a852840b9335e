import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { QueryClient } from '@tanstack/react-query';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import {
  createBlockingProcessor,
  passthroughProcessor,
} from '../../server/testing/fake-processing.ts';
import type { TestServer } from '../../server/testing/harness.ts';
import { failingProcessor } from '../../server/testing/problem-fixture.ts';
import { GLB_HEADERS, issueToken, sendRequest } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole, signInToConsole } from './open-console.ts';
import { createMetricSamples } from './operator-states.ts';

describe('the pages for operators', () => {
  it('retry a failed job, cancel a running one, and change the log level', async (t) => {
    const blocking = createBlockingProcessor();
    let current: ModelProcessor = failingProcessor;
    const modelProcessor: ModelProcessor = { run: (...parameters) => current.run(...parameters) };
    const processing = { modelProcessor, concurrency: 1 };
    const { service, page, errors } = await openConsole(t, { processing });
    const status = page.getByRole('status');
    const failed = await upload(service, 'Oak chair');
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByRole('link', { name: '1 failed job' }).click();
    await page.getByRole('link', { name: 'Oak chair' }).waitFor();
    assert.match(
      await page.locator('.job').innerText(),
      /Failed\..*Owner\s+operator.*Attempts\s+1/s,
    );
    await assertPageFits(page, 'one failed job');
    current = passthroughProcessor;
    await page.getByRole('button', { name: 'Retry Oak chair' }).click();
    await page.getByText('Oak chair is processed again.').first().waitFor();
    await page.getByText('No job has failed.').waitFor();
    await page.locator('h2:focus').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Failed 0' }).waitFor();
    await waitForStatus(service, failed.id, 'ready');

    current = blocking.processor;
    const running = await upload(service, 'Slow table');
    await blocking.started;
    await page.getByRole('link', { name: 'Running' }).click();
    await page.getByRole('button', { name: 'Cancel job: Slow table' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('“Slow table” by operator will not be processed').waitFor();
    await assertPageFits(page, 'the question before a job is cancelled');
    await dialog.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('No job is running.').waitFor();
    await waitForStatus(service, running.id, 'cancelled');

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByLabel('Lines of lower levels').selectOption('debug');
    await page.getByRole('button', { name: 'Apply' }).click();
    await status.filter({ hasText: 'The log level is debug.' }).waitFor();
    await page.getByRole('button', { name: 'Back to the setting' }).click();
    await status.filter({ hasText: 'The log level is info.' }).waitFor();
    const changes = service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'the log level was changed');
    assert.deepEqual(
      changes.map(({ from, to }) => [from, to]),
      [
        ['info', 'debug'],
        ['debug', null],
      ],
    );
    assert.deepEqual(errors, []);
  });

  it('add a user, who signs in with the link, sees no page for operators, and is deactivated', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { path: '/operator/users' });
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Not a name!');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Name').fill('anna');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('anna was added').waitFor();
    await assertPageFits(page, 'a link to sign in');
    const link = await dialog.getByRole('group', { name: 'The link to sign in' }).innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await page.content()).includes(link.slice(-20)), false, 'shown once');
    await assertNotCached(page, link.slice(-20));

    const context = await page.context().browser()?.newContext();
    assert.ok(context);
    const annas = await context.newPage();
    await annas.goto(link.trim());
    await annas.getByRole('button', { name: 'Sign in with the link' }).click();
    await annas.getByRole('heading', { name: 'Designs' }).waitFor();
    assert.equal(await annas.getByRole('link', { name: 'Operator' }).count(), 0);
    await annas.goto(`${service.origin}/console/operator/users`);
    await annas.getByText('Only operators can see this page.').waitFor();
    await assertPageFits(annas, 'not for this user');
    assert.equal(await annas.getByText('Add a user').count(), 0);

    await page.getByRole('button', { name: 'Quotas of anna' }).click();
    await dialog.getByRole('combobox', { name: 'Designs' }).selectOption('At most');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a whole number').waitFor();
    await dialog.getByLabel('Designs: at most').fill('3');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 3').waitFor();
    await assertPageFits(page, 'two users');

    await page.getByRole('button', { name: 'Deactivate anna' }).click();
    await dialog.getByText('its embeds show nothing').waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('deactivated', { exact: true }).waitFor();
    await annas.reload();
    await annas.getByLabel('API token').waitFor();
    await page.getByRole('button', { name: 'Activate anna' }).click();
    await page.getByRole('button', { name: 'Sign-in link for anna' }).click();
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await dialog.getByText('works once, and is not shown again').waitFor();
    const second = await dialog.getByRole('group', { name: 'The link to sign in' }).innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await assertNotCached(page, second.slice(-20));
    assert.deepEqual(errors, []);
  });

  it('show plots whose values are read with the keyboard and in a table', async (t) => {
    const { service, page, errors } = await openConsole(t, {}, { signedIn: false });
    const samples = createMetricSamples(new Date(), 'single');
    await page.route('**/v1/metrics?*', (route) =>
      route.fulfill({ json: { intervalSeconds: 60, nodes: ['node'], samples } }),
    );
    const { token } = await issueToken(service, { capabilities: ['read'], origins: [] });
    await signInToConsole(page, token);
    await page.getByRole('link', { name: 'Operator' }).click();
    const slider = page.getByRole('slider', { name: 'Responses' });
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /: 2xx 1,440, 3xx 0/);
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /: 2xx 1,439, 3xx 0/);
    const path =
      (await page.locator('.plot-lines .plot-line.first').first().getAttribute('d')) ?? '';
    assert.equal(path.match(/M/g)?.length, 2, 'interrupted where there are no samples');
    const figure = page.getByRole('figure', { name: 'Responses' });
    await figure.getByText('Show as a table').click();
    await figure.getByRole('table').waitFor();
    assert.equal(await page.getByRole('figure', { name: 'Events between nodes' }).count(), 0);
    await page.getByRole('heading', { name: 'Database and storage', level: 3 }).waitFor();
    const caches = page.getByRole('figure', { name: 'Found in caches' });
    assert.match(await caches.innerText(), /tokens 90 %\s+designs 80 %/);
    // This token may not write.
    await page.getByRole('heading', { name: 'Log level' }).waitFor();
    assert.equal(await page.getByRole('combobox').count(), 0);
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'operator' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Add|Quotas|Sign-in link/ }).count(), 0);
    assert.deepEqual(errors, []);
  });
});

/** Waits until the caches of requests, which scripts can reach through the elements of React, do not have a text. */
async function assertNotCached(page: Page, text: string): Promise<void> {
  await page.waitForFunction((secret) => {
    type Fiber = { child: Fiber | null; memoizedProps: { client?: QueryClient } | null };
    const root = document.getElementById('root') ?? {};
    const key = Object.keys(root).find((name) => name.startsWith('__reactContainer$')) ?? '';
    let fiber: Fiber | null = (root as Record<string, Fiber>)[key] ?? null;
    while (fiber !== null && fiber.memoizedProps?.client === undefined) fiber = fiber.child;
    const client = fiber?.memoizedProps?.client;
    if (client === undefined) throw new Error('The page has no cache of requests.');
    const states = [client.getMutationCache(), client.getQueryCache()].flatMap((cache) =>
      cache.getAll().map(({ state }) => state),
    );
    return !JSON.stringify(states).includes(secret);
  }, text);
}

async function upload(service: TestServer, name: string): Promise<{ id: string }> {
  const url = `/v1/designs?name=${encodeURIComponent(name)}`;
  // Without waiting until it is processed.
  const headers = { ...GLB_HEADERS, prefer: '' };
  return (await sendRequest(service, 'POST', url, makeBox({ name }), headers)).json();
}

async function waitForStatus(service: TestServer, id: string, status: string): Promise<void> {
  await waitUntil(`${id} to be ${status}`, async () => {
    const design = (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
    return design.status === status;
  });
}
