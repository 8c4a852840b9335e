import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntilLoaded } from '../viewer/testing/embedded-viewer.ts';
import { ApiClient } from './api-client.ts';
import { extendTimeLimits } from './extend-time-limits.ts';
import { ServiceProcess } from './service-process.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';

test('an embed keeps working after the public address of the service has changed', async (t) => {
  const service = await ServiceProcess.open(t);
  const client = await ApiClient.create(service);
  const { body } = await client.upload(makeBox({ name: 'box' }));
  const sites = await TestSites.open(t);
  const { url } = await client.createDocumentRequest(body.id, sites.getOrigin('shop.test'));

  await service.stop('SIGTERM');
  const { port } = new URL(service.origin);
  await service.start({
    CLOCHE_PUBLIC_URL: `http://cloche.test:${port}`,
    CLOCHE_FORMER_URLS: service.origin,
  });
  assert.equal((await client.request('/v1/designs')).status, 421, 'the API has moved');

  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 300, height: 200 } });
  await page.addInitScript(extendTimeLimits);
  const hosts = new Set<string>();
  page.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).origin);
  });
  await page.goto(sites.addPage('shop.test', '/', `<iframe src="${url}"></iframe>`));
  const frame = page.frames()[1] ?? assert.fail('there is no frame');
  assert.equal(await waitUntilLoaded(frame), 'ready');
  assert.deepEqual([...hosts], [sites.getOrigin('shop.test'), service.origin]);
});
