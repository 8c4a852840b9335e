import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { readSdkBuild } from '../../server/src/sdk/sdk-build.ts';
import { uploadTestDesign } from '../../server/testing/requests.ts';
import { TestSites } from '../test-sites.ts';
import { buildEmbedPage } from './build-embed-code.ts';
import { openCodeTab, readEmbedCode } from './embed-code-tabs.ts';
import { assertEmbedVisible } from './embed-flow.ts';
import { openConsole } from './open-console.ts';

const SDK_DIST = join(import.meta.dirname, '../../sdk/dist');
/** What JSX, templates of Vue and Svelte, and scripts would read as code. */
const HOSTILE = `"'\`{{7*7}}{7*7}\${7*7}<b onclick=x>&amp;&#65;</script></template>\\u0041`;

describe('the code of the embed builder', () => {
  it('shows the design in pages that React, Vue and Svelte have made, and hostile text stays text', async (t) => {
    const sites = await TestSites.open(t);
    const { service, page, errors } = await openConsole(t, { sdk: await readSdkBuild(SDK_DIST) });
    const design = await uploadTestDesign(service, HOSTILE, makeBox());
    await page.goto(`${service.origin}/console/embed?design=${design.id}`);
    await page.getByLabel('Addresses of your pages').fill(sites.getOrigin('shop.test'));
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('The token is in the code below').waitFor();
    await page.getByText('Controls for visitors', { exact: true }).click();
    await page.getByLabel('Name for screen readers', { exact: true }).fill(HOSTILE);
    await page.getByRole('tabpanel').filter({ hasText: 'title=%22' }).waitFor();

    const shop = await page.context().newPage();
    const messages: string[] = [];
    shop.on('pageerror', ({ message }) => messages.push(message));
    shop.on('console', (message) => {
      const isOfDriver = message.text().includes('GL Driver Message');
      if (['warning', 'error'].includes(message.type()) && !isOfDriver)
        messages.push(message.text());
    });
    for (const framework of ['React', 'Vue', 'Svelte'] as const) {
      await openCodeTab(page, framework);
      const html = await buildEmbedPage(framework, await readEmbedCode(page));
      const url = sites.addPage('shop.test', `/${framework}`, html);
      await assertEmbedVisible(page, url);
      await shop.goto(url);
      await shop.frameLocator('iframe').locator('html[data-state=ready]').waitFor();
      assert.equal(await shop.locator('iframe').getAttribute('title'), HOSTILE, framework);
      assert.equal(await shop.locator('b').count(), 0, framework);
    }
    assert.deepEqual(messages, []);
    assert.deepEqual(errors, []);
  });
});
