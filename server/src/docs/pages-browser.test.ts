import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openChromium } from '../../../e2e/chromium.ts';
import { openTestServer } from '../../testing/harness.ts';
import { DOCS_PATHS } from './pages.ts';

const WAIT_OPTIONS = { timeout: 60_000 };

async function openPage(t: TestContext, width: number) {
  const service = await openTestServer(t, { listen: true });
  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // The browser also logs 4xx responses here, which are not errors of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) {
      errors.push(message.text());
    }
  });
  return { ...service, page, errors };
}

describe('the documentation in a browser', () => {
  it('fits a phone and has no script or policy errors', async (t) => {
    const { page, origin, errors } = await openPage(t, 360);
    for (const path of DOCS_PATHS) {
      await page.goto(`${origin}${path}`);
      if (path === '/docs/api') await page.waitForSelector('article', WAIT_OPTIONS);
      // As a string, because browser types are not available here.
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.equal(overflow, 0, `${path} is wider than the screen`);
    }
    assert.deepEqual(errors, []);
  });

  it('scrolls to a problem', async (t) => {
    const { page, origin } = await openPage(t, 1440);
    await page.goto(`${origin}/docs/problems#embed.grant`);
    const box = await page.locator('[id="embed.grant"]').boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 100, `at ${box?.y}`);
  });

  it('sends requests with the token that its command creates', async (t) => {
    const { app, page, origin, token, errors } = await openPage(t, 1440);
    await page.goto(`${origin}/docs/api`);
    const operation = page.locator('#getDesigns');
    await operation.waitFor(WAIT_OPTIONS);

    const command = await page.locator('#token-command code').textContent();
    const payload = /-d '(.*)'$/.exec(command ?? '')?.[1] ?? '';
    const headers = {
      host: new URL(origin).host,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const created = await app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
    assert.equal(created.statusCode, 201, created.body);

    await operation.getByText('Try it').click();
    const send = operation.getByRole('button', { name: 'Send' });
    const status = operation.getByRole('status').filter({ hasText: 'after' });
    await send.click();
    await status.filter({ hasText: '401' }).waitFor(WAIT_OPTIONS);

    await page.getByLabel('API token').fill(created.json().token);
    await send.click();
    await status.filter({ hasText: '200 OK' }).waitFor(WAIT_OPTIONS);
    assert.match((await operation.textContent()) ?? '', /"items": \[\]/);
    assert.deepEqual(errors, []);
  });
});
