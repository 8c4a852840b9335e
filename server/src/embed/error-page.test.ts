import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { renderErrorPage } from './error-page.ts';

test('whatever a problem says stays text', () => {
  const detail = `<img src=x onerror="alert(1)"> & 'more' </p><script>`;
  const page = renderErrorPage(new Problem('embed.origin', { detail }), 'https://cloche.example');
  assert.doesNotMatch(page, /<img|<script/);
  assert.ok(
    page.includes(
      '&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39; &lt;/p&gt;&lt;script&gt;',
    ),
  );
  assert.ok(page.includes('href="https://cloche.example/docs/problems#embed.origin"'));
});
