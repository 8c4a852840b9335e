import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { transform } from 'esbuild';
import { createSnippet } from '../embed/snippet.ts';
import { escapeHtml } from '../http/escape-html.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const DESIGN = {
  id: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55',
  name: 'Oak chair',
  revision: undefined,
  viewer: {},
};
const { html, src } = createSnippet(DESIGN, 'https://cloche.example.com');

/** Returns the code blocks of a page in a language. */
async function readCodeBlocks(file: string, language: string): Promise<string[]> {
  const text = await readFile(join(DOCS, file), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

/** Writes a tag on one line, as the service does. */
const joinLines = (code: string) =>
  code
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(' ></iframe>', '></iframe>');

describe('the pages about embedding show the HTML that the service returns', () => {
  for (const name of ['html', 'wordpress', 'shopify', 'markdown']) {
    it(`embed-${name}.md`, async () => {
      const blocks = await readCodeBlocks(`embed-${name}.md`, 'html');
      assert.deepEqual(blocks.map(joinLines), [html]);
    });
  }

  it('embed-shopify.md, with the id and the name of each product', async () => {
    const [block = ''] = await readCodeBlocks('embed-shopify.md', 'liquid');
    const iframe = /<iframe[\s\S]*<\/iframe>/.exec(block)?.[0] ?? '';
    const filled = joinLines(iframe)
      .replace('{{ product.metafields.custom.design.value }}', DESIGN.id)
      .replace('{{ product.title | escape }}', DESIGN.name);
    assert.equal(filled, html);
  });

  it('embed-notion.md: the URL only', async () => {
    const [block = ''] = await readCodeBlocks('embed-notion.md', '');
    assert.equal(block.trim(), src);
  });

  it('embed-react.md: the component renders it', async () => {
    const [block = ''] = await readCodeBlocks('embed-react.md', 'jsx');
    assert.equal(await renderComponent(block, 'OakChair'), html);
  });

  it('embed-react.md: the component that inserts HTML renders it', async () => {
    const [, block = ''] = await readCodeBlocks('embed-react.md', 'jsx');
    assert.equal(await renderComponent(block, 'OakChairHtml', { html }), `<div>${html}</div>`);
  });
});

type ReactElement = { type: string; props: Record<string, unknown> };

/** The attributes that React calls by another name than HTML. */
const HTML_NAMES: Record<string, string> = { referrerPolicy: 'referrerpolicy' };

async function renderComponent(jsx: string, name: string, props = {}): Promise<string> {
  const { code } = await transform(jsx, {
    loader: 'jsx',
    format: 'esm',
    jsxFactory: 'globalThis.createElement',
  });
  const createElement = (type: string, props: ReactElement['props']): ReactElement => ({
    type,
    props,
  });
  Object.assign(globalThis, { createElement });
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return renderElement(module[name](props));
}

/** Renders an element as React does, in the order of its props. React refuses a style that is a string. */
function renderElement({ type, props }: ReactElement): string {
  const { dangerouslySetInnerHTML, ...attributes } = props;
  const inner = (dangerouslySetInnerHTML as { __html: string } | undefined)?.__html ?? '';
  const rendered = Object.entries(attributes).map(([name, value]) => {
    assert.ok(name in HTML_NAMES || name === name.toLowerCase(), `React has no prop ${name}`);
    assert.ok(!Object.values(HTML_NAMES).includes(name), `React calls ${name} by another name`);
    const text = name === 'style' ? renderStyle(value as object) : String(value);
    return ` ${HTML_NAMES[name] ?? name}="${escapeHtml(text)}"`;
  });
  return `<${type}${rendered.join('')}>${inner}</${type}>`;
}

function renderStyle(style: object): string {
  assert.equal(typeof style, 'object');
  return Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}:${value}`)
    .join(';');
}
