import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { en } from '../../../viewer/src/i18n/en.ts';
import { ERROR_PAGE_HEADERS, renderErrorPage, VISITOR_PROBLEM_CODES } from './error-page.ts';

const OPTIONS = {
  publicOrigin: 'https://cloche.example',
  language: 'en' as const,
  messages: en,
};

test('the visitor reads one sentence; the advice is behind "For the site’s author"', () => {
  const page = renderErrorPage('embed.origin', { ...OPTIONS, pageOrigin: 'https://evil.example' });
  const [visible = '', details = ''] = page.split('<details>');
  assert.match(visible, /<title>3D view<\/title>/);
  assert.match(visible, /<h1>This 3D view is not available here\.<\/h1>/);
  assert.doesNotMatch(visible, /evil|token|origin/);
  assert.match(details, /<summary>For the site’s author<\/summary>/);
  assert.match(
    details,
    /This page is on <bdi>https:\/\/evil\.example<\/bdi>, .* add <bdi>https:\/\/evil\.example<\/bdi> to/,
  );
  assert.match(details, /<code id="code">embed\.origin<\/code>/);
  assert.match(details, /href="https:\/\/cloche\.example\/docs\/problems#embed\.origin"/);
});

test('the origin of the page is escaped', () => {
  const pageOrigin = `<img src=x onerror="alert(1)"> & 'more' $&`;
  const page = renderErrorPage('embed.origin', { ...OPTIONS, pageOrigin });
  assert.doesNotMatch(page, /<img/);
  assert.ok(
    page.includes('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39; $&amp;'),
  );
});

test('a page without an origin has advice of its own', () => {
  const page = renderErrorPage('embed.origin', OPTIONS);
  assert.match(page, /has no origin that a token can list/);
  assert.doesNotMatch(page, /\{origin\}/);
});

test('the script tells the page around the iframe the code, and nothing else', () => {
  const page = renderErrorPage('token.revoked', {
    ...OPTIONS,
    pageOrigin: 'https://evil.example',
  });
  const script = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? assert.fail('no script');
  const posted: unknown[] = [];
  const texts: Record<string, string> = { code: 'token.revoked', advice: 'Advice.' };
  const parent = { postMessage: (...message: unknown[]) => posted.push(JSON.stringify(message)) };
  let receive = (_message: object) => {};
  runInNewContext(script, {
    self: 'the window of the error page',
    parent,
    addEventListener(_type: string, listener: typeof receive) {
      receive = listener;
    },
    console: { warn() {} },
    document: { getElementById: (id: string) => ({ textContent: texts[id], href: '' }) },
  });
  const message = '[{"cloche":"refused","code":"token.revoked"},"*"]';
  assert.deepEqual(posted, [message]);
  // An SDK that was loaded later.
  receive({ source: parent, data: { cloche: 'syn', versions: [1] } });
  assert.deepEqual(posted, [message, message]);
  receive({ source: 'another window', data: { cloche: 'syn', versions: [1] } });
  receive({ source: parent, data: null });
  receive({ source: parent, data: { cloche: 'other' } });
  assert.equal(posted.length, 2);
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = String(ERROR_PAGE_HEADERS['content-security-policy']);
  assert.ok(policy.includes(`script-src 'sha256-${hash}'`));
});

test('in Arabic: an English detail is marked as English, from left to right', () => {
  const page = renderErrorPage('embed.preview-link', {
    ...OPTIONS,
    language: 'ar',
    detail: 'The link has expired.',
  });
  assert.match(page, /<html lang="ar" dir="rtl">/);
  assert.match(page, /<p id="advice" lang="en" dir="ltr">The link has expired\.<\/p>/);
});

test('the texts come from the messages', () => {
  const messages = {
    'errorPage.documentTitle': 'Document title',
    'errorPage.title': 'General title',
    'errorPage.title.design.not-ready': 'Title <1>',
    'errorPage.retrying': 'Retrying.',
    forAuthor: 'For the author',
    'errorPage.learnMore': 'Learn more',
    'errorPage.advice.design.not-ready': 'Advice <2>',
  };
  const page = renderErrorPage('design.not-ready', { ...OPTIONS, messages, refreshes: true });
  for (const text of [
    '<title>Document title<',
    '<h1>Title &lt;1&gt;<',
    '>Retrying.<',
    '>For the author<',
    '>Advice &lt;2&gt;<',
    '>Learn more<',
  ]) {
    assert.ok(page.includes(text), text);
  }
  const other = renderErrorPage('design.unknown', { ...OPTIONS, messages });
  assert.ok(other.includes('<h1>General title<'));
  assert.ok(!other.includes('Retrying.'));
});

const listCodes = (prefix: string) =>
  Object.keys(en)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length).replace(/\.unnamed$/, ''));

test('each problem that visitors can see has advice for the author, and no other problem', () => {
  const codes = new Set(listCodes('errorPage.advice.'));
  assert.deepEqual([...codes].sort(), [...VISITOR_PROBLEM_CODES].sort());
});

test('a title is that of a problem that visitors can see', () => {
  const codes: readonly string[] = VISITOR_PROBLEM_CODES;
  assert.deepEqual(
    listCodes('errorPage.title.').filter((code) => !codes.includes(code)),
    [],
  );
});

test('the list of problems that visitors can see has each code in the sources of the gate', () => {
  const codes = ['access-policy.ts', 'authorize-view.ts', '../http/host-check.ts'].flatMap(
    (file) => {
      const source = readFileSync(join(import.meta.dirname, file), 'utf8');
      return [...source.matchAll(/(?:Problem\(|code: )'([\w.-]+)'/g)].map((match) => match[1]);
    },
  );
  assert.ok(codes.length > 10);
  const missing = codes.filter(
    (code) => !(VISITOR_PROBLEM_CODES as readonly unknown[]).includes(code),
  );
  assert.deepEqual(missing, []);
});
