import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../http/escape-html.ts';
import { type Article, codeBlock, EXAMPLE_URL } from './markdown.ts';

/** The folder of the example pages, and of the files that they load. */
export const EXAMPLES_FOLDER = join(import.meta.dirname, '../../../examples');

/** The names of the example pages, in their order. */
export const EXAMPLE_NAMES = [
  'variant-picker',
  'scroll-camera',
  'compare',
  'gallery',
  'configurator',
  'react',
  'transparent',
  'click-to-load',
] as const;

/** The embed in the example pages: the reader replaces design and token. */
export const EXAMPLE_EMBED_PATH =
  '/embed/iframe/v1/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55?token=CLOCHE_EMBED_TOKEN';
/** The embed that the documentation shows instead. */
export const SAMPLE_EMBED_PATH = '/embed/sample/v1/examples?';

type ExamplePage = { name: string; title: string; description: string; html: string };

/** Reads an example page. Its URLs have the public URL of the service. */
export function readExamplePage(name: string, publicUrl: string): ExamplePage {
  const html = readFileSync(join(EXAMPLES_FOLDER, `${name}.html`), 'utf8').replaceAll(
    EXAMPLE_URL,
    publicUrl,
  );
  const [, title = ''] = /<title>(.+)<\/title>/.exec(html) ?? [];
  const [, description = ''] = /<meta name="description" content="(.+)">/.exec(html) ?? [];
  return { name, title, description, html };
}

/** Creates the page with all examples. A script shows one at a time, with an editor and its result. */
export function createExamplesArticle(publicUrl: string): Article {
  const pages = EXAMPLE_NAMES.map((name) => readExamplePage(name, publicUrl));
  const html = `<p class="lead">Complete pages, each for one thing that you may want on your own page. Change one, and see what happens.</p>
<p>On this page the examples show a sample. On yours, replace the URL in <code>src</code> by that of <a href="/docs/embed">your design</a>, with your
token. The script <code>/sdk/v1/cloche.js</code> comes from this service; a plain embed needs no script.</p>
<div id="examples" data-embed="${escapeHtml(EXAMPLE_EMBED_PATH)}" data-sample="${escapeHtml(SAMPLE_EMBED_PATH)}">
${pages.map(renderExample).join('\n')}
</div>`;
  return { title: 'Examples', html, anchors: [] };
}

function renderExample({ name, title, description, html }: ExamplePage): string {
  return `<section id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${title}</h2>
<p>${description}</p>
${codeBlock(html.trimEnd())}</section>`;
}
