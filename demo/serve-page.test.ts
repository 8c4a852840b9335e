import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servePage } from './serve-page.ts';

test('a page that is opened too early reloads itself until the demo has started', async () => {
  await using page = await servePage('shop.html', {
    host: 'localhost',
    preferredPort: 18_788,
    purpose: 'the shop page',
  });
  const open = async (path = '/') => {
    const response = await fetch(`${page.origin}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const early = await open();
  assert.equal(early.status, 503);
  assert.match(early.text, /http-equiv="refresh" content="1".*The demo is starting/);
  assert.equal((await open('/other')).status, 404);
  page.show({ embed: '<b id="embed"></b>' });
  const { status, text } = await open();
  assert.equal(status, 200);
  assert.ok(text.includes('<b id="embed"></b>'));
  assert.doesNotMatch(text, /refresh/);
});
