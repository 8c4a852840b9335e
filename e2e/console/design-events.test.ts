import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendRequest, uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

const PAGES = [
  ['the list', '/designs', '**/v1/designs?*'],
  ['the page of a design', '/designs/{id}', '**/v1/designs/*-*'],
] as const;

/** Opens another event stream, and sets `changeReceived`, which is resolved with the change. Runs in the page. */
const OPEN_ANOTHER_STREAM = `new Promise((resolve) => {
  const source = new EventSource('/v1/designs/events');
  globalThis.changeReceived = new Promise((received) => source.addEventListener('design', () => received()));
  source.addEventListener('open', () => resolve());
})`;

describe('a change that arrives while a page is read', () => {
  for (const [name, path, pattern] of PAGES) {
    it(`is shown, although the response is older: ${name}`, async (t) => {
      const { service, page, errors } = await openConsole(t);
      const { id } = await uploadTestDesign(service, 'Oak chair');
      const read = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      await page.route(
        pattern,
        async (route) => {
          const { pathname, search } = new URL(route.request().url());
          const { body, headers } = await sendRequest(service, 'GET', pathname + search);
          read.resolve();
          await released.promise;
          await route.fulfill({ body, headers: { etag: String(headers.etag) } });
        },
        { times: 1 },
      );
      const opened = page.waitForResponse('**/v1/designs/events');
      await page.goto(`${service.origin}/console${path.replace('{id}', id)}`);
      await Promise.all([read.promise, opened]);
      await page.evaluate(OPEN_ANOTHER_STREAM);
      await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'Renamed' });
      await page.evaluate('changeReceived');
      released.resolve();
      await page.getByRole('heading', { name: 'Renamed' }).waitFor();
      assert.deepEqual(errors, []);
    });
  }
});

describe('a change between the first request of a page and the beginning of its event stream', () => {
  for (const [name, path] of PAGES) {
    it(`is shown: ${name}`, async (t) => {
      const { service, page, errors } = await openConsole(t);
      const { id } = await uploadTestDesign(service, 'Oak chair');
      const released = Promise.withResolvers<void>();
      await page.route('**/v1/designs/events', async (route) => {
        await released.promise;
        await route.continue();
      });
      await page.goto(`${service.origin}/console${path.replace('{id}', id)}`);
      await page.getByRole('heading', { name: 'Oak chair' }).waitFor();
      await sendRequest(service, 'PATCH', `/v1/designs/${id}`, { name: 'Renamed' });
      released.resolve();
      await page.getByRole('heading', { name: 'Renamed' }).waitFor();
      assert.deepEqual(errors, []);
    });
  }
});
