import { escapeHtml } from '../http/escape-html.ts';
import { EMBED_EXAMPLES, readEmbedExample } from './embed-examples.ts';
import { type Article, codeBlock, EXAMPLE_URL } from './markdown.ts';

/** Creates the API page. A script adds the four steps and the operations, with forms that send requests. */
export function createApiArticle(publicUrl: string): Article {
  const html = `<p class="lead">Read and try every request. For your own tools, use <a href="/openapi.json">/openapi.json</a>.</p>
<noscript><p class="note">This page needs JavaScript. Without it, read <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<p class="note" id="public-url-note" data-public-url="${escapeHtml(publicUrl)}" hidden></p>
<section class="panel" id="sign-in" aria-labelledby="token-heading" hidden>
<h2 id="token-heading">Your token</h2>
<form novalidate>
<label for="token">API token</label>
<div class="flow-controls">
<input id="token" type="password" autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="cloche_sk_…" aria-describedby="token-note sign-in-error">
<button type="submit" class="send">Continue</button>
</div>
<div id="sign-in-error" role="alert"></div>
<p id="token-note" class="hint">The service printed it at its first start. This page exchanges it for a session, which ends when you sign out, or after twelve hours without a request. Requests on this page are real: what you delete is deleted.</p>
</form>
</section>
<div id="session"></div>
<section id="embed-flow" aria-labelledby="the-four-steps">
<h2 id="the-four-steps">The four steps of embedding</h2>
<p>Each button sends the request of its step.</p>
</section>
<section aria-labelledby="as-a-program">
<h2 id="as-a-program">The four steps as a program</h2>
<div id="code-tabs">
${EMBED_EXAMPLES.map((example) => renderExample(example.language, readEmbedExample(example), publicUrl)).join('\n')}
</div>
</section>
<p id="loading" role="status">Reading /openapi.json …</p>
<div id="operations"></div>`;
  const anchors = [
    { id: 'the-four-steps', html: 'The four steps' },
    { id: 'as-a-program', html: 'As a program' },
  ];
  return { title: 'API', html, anchors };
}

function renderExample(language: string, code: string, publicUrl: string): string {
  const block = codeBlock(code.replaceAll(EXAMPLE_URL, publicUrl));
  return `<div data-label="${language}"><h3>${language}</h3>${block}</div>`;
}
