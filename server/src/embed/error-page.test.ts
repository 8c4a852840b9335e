import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { en } from '../../../viewer/src/i18n/en.ts';
import { renderErrorPage, VISITOR_PROBLEM_CODES } from './error-page.ts';

const OPTIONS = { publicOrigin: 'https://cloche.example', messages: en };
const TITLE_KEY_PREFIX = 'errorPage.title.';

test('the detail of a problem is escaped', () => {
  const detail = `<img src=x onerror="alert(1)"> & 'more' </p><script>`;
  const page = renderErrorPage(new Problem('embed.origin', { detail }), OPTIONS);
  assert.doesNotMatch(page, /<img|<script/);
  assert.ok(
    page.includes(
      '&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39; &lt;/p&gt;&lt;script&gt;',
    ),
  );
  assert.ok(page.includes('href="https://cloche.example/docs/problems#embed.origin"'));
});

test('the texts come from the messages', () => {
  const messages = {
    'errorPage.documentTitle': 'Document title',
    'errorPage.title.design.not-ready': 'Title <1>',
    'errorPage.retrying': 'Retrying.',
    'errorPage.reload': 'Reload.',
    'errorPage.learnMore': 'Learn more',
  };
  const problem = new Problem('design.not-ready', { detail: 'Detail.', retryAfterSeconds: 3 });
  const refreshing = renderErrorPage(problem, { ...OPTIONS, messages, refreshSeconds: 3 });
  for (const text of ['<title>Document title<', '<h1>Title &lt;1&gt;<', 'Detail. Retrying.<']) {
    assert.ok(refreshing.includes(text), text);
  }
  assert.ok(renderErrorPage(problem, { ...OPTIONS, messages }).includes('Detail. Reload.<'));
});

test('each problem that visitors can see has a title, and no other problem', () => {
  const titleCodes = Object.keys(en)
    .filter((key) => key.startsWith(TITLE_KEY_PREFIX))
    .map((key) => key.slice(TITLE_KEY_PREFIX.length));
  assert.deepEqual(titleCodes.sort(), [...VISITOR_PROBLEM_CODES].sort());
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
