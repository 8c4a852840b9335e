import { escapeHtml } from '../http/escape-html.ts';
import { type Article, codeBlock } from './markdown.ts';

/** Creates the API page. A script adds the operations of /openapi.json, with forms that send requests. */
export function createApiArticle(publicUrl: string): Article {
  const createTokenRequest = {
    capabilities: ['read', 'write', 'embed'],
    origins: [publicUrl],
    type: 'api',
    user: '~',
    name: 'API page, one hour',
    expiresAt: 'IN_ONE_HOUR',
  };
  const command = [
    `curl ${publicUrl}/v1/tokens \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(createTokenRequest)}'`,
  ].join('\n');
  const html = `<p class="lead">Read and try every request. For your own tools, use <a href="/openapi.json">/openapi.json</a>.</p>
<noscript><p class="note">This page needs JavaScript. Without it, read <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<p class="note" id="public-url-note" data-public-url="${escapeHtml(publicUrl)}" hidden></p>
<section class="panel" aria-labelledby="token-heading">
<h2 id="token-heading">Your token for this page</h2>
<label for="token">API token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="cloche_sk_…" aria-describedby="token-note">
<p id="token-note" class="hint">Stored only in the memory of this tab, until you reload the page.</p>
<details>
<summary>How to get one</summary>
<p>The bootstrap token is for servers. Browsers cannot use it, so do not paste it into this page. Create a token that works on this page only and expires in one hour:</p>
<div id="token-command">${codeBlock(command, 'sh')}</div>
<p>Set <code>TOKEN</code> to your secret token first. Then copy the <code>token</code> of the response into the field above. Requests on this page are real: what you delete is deleted.</p>
<p>A token for this page can only create tokens for this page. Create tokens for other sites in your terminal.</p>
</details>
</section>
<p id="loading" role="status">Reading /openapi.json …</p>
<div id="operations"></div>`;
  return { title: 'API', html, anchors: [] };
}
