import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../http/escape-html.ts';

/** A heading a reader can jump to. */
export type Anchor = { id: string; html: string };

/** A page of docs/, rendered. `html` is all but its title. */
export type Article = { title: string; html: string; anchors: Anchor[] };

/** Stands in the pages for the address of the service that shows them. */
const EXAMPLE_URL = 'https://cloche.example.com';

/** Renders a page of our own; not made for text of strangers. */
export function renderMarkdown(text: string, publicUrl: string): Article {
  const anchors: Anchor[] = [];
  let title = '';
  const marked = new Marked({
    // Addresses in running text are examples, not places to go.
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
        const to = href.replace(/^start\.md/, '/docs').replace(/^([a-z]+)\.md/, '/docs/$1');
        return `<a href="${escapeHtml(to)}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text, lang }) => codeBlock(text, lang),
      table(token: Tokens.Table) {
        // Too wide for a phone; scrolls by itself, also by keyboard.
        const inner = this.constructor.prototype.table.call(this, token);
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${inner}</div>\n`;
      },
    },
  });
  const html = marked.parse(text.replaceAll(EXAMPLE_URL, publicUrl), { async: false });
  return { title, html, anchors };
}

/** Code that scrolls by itself; a script adds the button that copies it. */
export function codeBlock(text: string, lang = ''): string {
  const label = lang === 'sh' ? 'Commands' : 'Code';
  return `<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(text)}</code></pre></div>\n`;
}

/** A problem code stays as it is, so that `#token.missing` leads to it. */
function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|[-.]+$/g, '');
}
