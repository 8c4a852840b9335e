import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../scripts/wait-until.ts';
import { uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';

const LETTERS = 'Design of an oak chair';

describe('the search for a design', () => {
  it('waits until no more is typed, and cancels what is no longer wanted', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await uploadTestDesign(service, 'Oak table');
    await uploadTestDesign(service, `${LETTERS} 2`);
    const stream = page.waitForResponse('**/v1/designs/events');
    await page.goto(`${service.origin}/console/embed`);
    await page.getByText('Oak table').waitFor();
    await stream;
    const held = Promise.withResolvers<void>();
    const searched: string[] = [];
    await page.route('**/v1/designs?*', async (route) => {
      const text = new URL(route.request().url()).searchParams.get('q') ?? '';
      // The whole list may be read again when the event stream begins.
      if (text !== '') searched.push(text);
      if (text === 'Oak') await held.promise;
      await route.continue().catch(() => undefined);
    });
    const field = page.getByLabel('Find a design');
    await field.fill('Oak');
    await waitUntil('the first search', () => searched.length === 1);
    const cancelled = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('q=Oak'),
    );
    // In one task: a slow machine would wait between the letters.
    await field.evaluate((element, text) => {
      const input = element as HTMLInputElement;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
      for (let length = 1; length <= text.length; length += 1) {
        set?.call(input, text.slice(0, length));
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
    }, LETTERS);
    await cancelled;
    held.resolve();
    await page.getByText('Oak table').waitFor({ state: 'detached' });
    await page.getByText(`${LETTERS} 2`).waitFor();
    assert.deepEqual(searched, ['Oak', LETTERS]);
    assert.deepEqual(errors, []);
  });
});
