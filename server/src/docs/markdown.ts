import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../http/escape-html.ts';

/** A link target: a heading of a page. */
export type Anchor = { id: string; html: string };

/** A rendered page of docs/. `html` does not include the title. */
export type Article = { title: string; html: string; anchors: Anchor[] };

/** Replaced in the pages by the public URL of the service. */
export const EXAMPLE_URL = 'https://cloche.example.com';

/** Renders a page of docs/. The HTML is not sanitized, so the text must be trusted. */
export function renderMarkdown(text: string, publicUrl: string): Article {
  const anchors: Anchor[] = [];
  let title = '';
  const marked = new Marked({
    // URLs in the text are examples, so they do not become links.
    tokenizer: { url: () => undefined },
    renderer: {
      heading({ tokens, depth, text }) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) {
          title = text;
          return '';
        }
        const id = slugify(text);
        if (depth === 2) anchors.push({ id, html });
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = href.replace(/^start\.md/, '/docs').replace(/^([a-z-]+)\.md/, '/docs/$1');
        return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text, lang }) => codeBlock(text, lang),
      table(token: Tokens.Table) {
        // Tables may be wider than the screen: they scroll, also with the keyboard.
        const table = this.constructor.prototype.table.call(this, token);
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${table}</div>\n`;
      },
    },
  });
  const html = marked.parse(text.replaceAll(EXAMPLE_URL, publicUrl), { async: false });
  return { title, html, anchors };
}

/** Renders a scrollable code block. A script adds its copy button. */
export function codeBlock(text: string, lang = ''): string {
  const label = lang === 'sh' ? 'Commands' : 'Code';
  return `<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(text)}</code></pre></div>\n`;
}

/** Creates the id of a heading. Problem codes stay unchanged, so that `#token.missing` works. */
function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|[-.]+$/g, '');
}
