import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Language } from '@cloche/contract/viewer-options';
import { viewerProblems } from '@cloche/contract/viewer-problem';
import type { Page, Response } from 'playwright-core';
import { translations } from '../viewer/src/i18n/translations.ts';
import { openEmbeddedDesign } from './embedded-design.ts';
import { openSharedChromium, type SharedBrowser } from './shared-chromium.ts';

const TIMEOUT = { timeout: 90_000 };

type LanguageCase = { locale: string; query: string; language: Language; dir: 'ltr' | 'rtl' };

const cases: LanguageCase[] = [
  { locale: 'de-AT', query: '', language: 'de', dir: 'ltr' },
  { locale: 'ar-EG', query: '', language: 'ar', dir: 'rtl' },
  { locale: 'de-AT', query: '&lang=ja', language: 'ja', dir: 'ltr' },
];

describe('the language of an embed', () => {
  let browser: SharedBrowser;
  before(async () => {
    browser = await openSharedChromium();
  });
  after(() => browser.close());

  for (const { locale, query, language, dir } of cases) {
    it(`${locale} with "${query}": ${language}`, async (t) => {
      const embedded = await openEmbeddedDesign(t);
      const context = await browser.newContext({ locale });
      t.after(() => context.close());
      const page = await context.newPage();
      const takeBodies = collectBodies(page, embedded.origin);
      const text = (key: string) => translations[language][key] ?? '';

      const html = embedded.html.replace(embedded.token.token, `$&${query}`);
      await page.goto(embedded.sites.addPage('shop.test', '/', html));
      const frame = page.frameLocator('iframe');
      await frame.locator('html[data-interactive]').waitFor({ ...TIMEOUT, state: 'attached' });
      const root = frame.locator('html');
      assert.deepEqual(
        [await root.getAttribute('lang'), await root.getAttribute('dir')],
        [language, dir],
      );
      const view = frame.locator('#view');
      assert.equal(await view.getAttribute('aria-roledescription'), text('view.roleDescription'));
      await frame.getByRole('button', { name: text('fullscreen.enter') }).waitFor(TIMEOUT);

      await view.focus();
      await view.press('ArrowRight');
      const [, afterAngle = ''] = text('view.right').split('{angle}');
      await frame.locator('#live-region', { hasText: afterAngle.trim() }).waitFor({
        ...TIMEOUT,
        state: 'attached',
      });
      const shown = await takeBodies();
      assert.ok(shown.includes(text('hint.touch')));

      await page.goto(embedded.sites.addPage('evil.test', '/', html));
      await frame.getByRole('heading', { name: text('errorPage.title') }).waitFor(TIMEOUT);
      assert.deepEqual(
        [await root.getAttribute('lang'), await root.getAttribute('dir')],
        [language, dir],
      );
      await frame.getByText(text('forAuthor')).waitFor(TIMEOUT);

      const refused = await takeBodies();
      assert.ok(refused.includes(text('errorPage.title')));
      assert.deepEqual(findOtherLanguages(shown + refused, language), []);
    });
  }

  it('the model is shown if the texts of the controls cannot be loaded', async (t) => {
    const embedded = await openEmbeddedDesign(t);
    const context = await browser.newContext({ locale: 'fr' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route('**/messages-fr-*.json', (route) => route.abort());
    await page.goto(embedded.sites.addPage('shop.test', '/', embedded.html));
    const frame = page.frameLocator('iframe');
    await frame.getByText(translations.fr['error.controls.title'] ?? '').waitFor(TIMEOUT);
    await frame.locator('html[data-state="ready"]').waitFor({ ...TIMEOUT, state: 'attached' });
  });
});

/** Collects the texts that the service sends. The result returns those since its last call, as one text. */
function collectBodies(page: Page, origin: string): () => Promise<string> {
  let responses: Response[] = [];
  page.on('response', (response) => {
    const { 'content-type': type = '' } = response.headers();
    if (response.url().startsWith(origin) && /html|javascript|json/.test(type))
      responses.push(response);
  });
  return async () => {
    // A browser does not keep the responses of documents that it has left.
    const bodies = await Promise.all(responses.map((response) => response.text()));
    responses = [];
    return bodies.join('\n');
  };
}

/**
 * Finds texts of other languages. Single words are ignored: they could be code. The API of the viewer for
 * host pages is English.
 */
function findOtherLanguages(received: string, language: Language): string[] {
  const own = [...Object.values(translations[language]), ...Object.values(viewerProblems)].join();
  return Object.entries(translations)
    .filter(([other]) => other !== language)
    .flatMap(([other, texts]) => Object.values(texts).map((text) => ({ other, text })))
    .flatMap(({ other, text }) =>
      text
        .split(/\{[^}]*\}/)
        .map((part) => part.trim())
        .filter((part) => part.length >= 12 && part.includes(' ') && !own.includes(part))
        .filter((part) => received.includes(part))
        .map((part) => `${other}: ${part}`),
    );
}
