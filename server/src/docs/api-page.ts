import { escapeHtml } from '../http/escape-html.ts';
import { type Article, codeBlock } from './markdown.ts';

/** The page to read and try every request; a script fills it from /openapi.json. */
export function createApiArticle(publicUrl: string): Article {
  const wish = {
    capabilities: ['read', 'write', 'embed'],
    origins: [publicUrl],
    type: 'api',
    user: '~',
    name: 'API page, for an hour',
    expiresAt: 'IN_ONE_HOUR',
  };
  const command = [
    `curl ${publicUrl}/v1/tokens \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(wish)}'`,
  ].join('\n');
  const html = `<p class="lead">Every request, to read and to try. Or take <a href="/openapi.json">/openapi.json</a> to your own tools.</p>
<noscript><p class="note">This page is drawn by a script. Without one, read <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<p class="note" id="elsewhere" data-public-url="${escapeHtml(publicUrl)}" hidden></p>
<section class="panel" aria-labelledby="token-heading">
<h2 id="token-heading">Your token for this page</h2>
<label for="token">API token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="cloche_sk_…" aria-describedby="token-note">
<p id="token-note" class="hint">Kept in the memory of this tab alone: reload, and it is gone.</p>
<details>
<summary>How to get one</summary>
<p>The bootstrap token of a service is for servers. It is refused in browsers, here too, and it is better not pasted into any page. Make one that works on this page only and ends in an hour:</p>
<div id="token-command">${codeBlock(command, 'sh')}</div>
<p>Set <code>TOKEN</code> to your secret token first. Then copy the <code>token</code> of the answer into the field above. Requests on this page are real: what you delete is gone.</p>
<p>A token that is bound to this page makes only tokens that are bound to it too. Make tokens for other sites in your terminal.</p>
</details>
</section>
<p id="loading" role="status">Reading /openapi.json …</p>
<div id="operations"></div>`;
  return { title: 'API', html, anchors: [] };
}
