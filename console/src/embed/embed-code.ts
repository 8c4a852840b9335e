import type { EmbedSnippet } from '@cloche/contract/embed';
import { normalizeOptions } from '@cloche/contract/parse-option';
import {
  toParameterName,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import { parseIframeAttributes } from './parse-iframe-attributes.ts';

/** The places that an embed can be pasted into. Each has its own code. */
export const EMBED_TARGETS = [
  'html',
  'element',
  'javascript',
  'react',
  'vue',
  'svelte',
  'wordpress',
  'shopify',
  'notion',
  'markdown',
] as const;
export type EmbedTarget = (typeof EMBED_TARGETS)[number];

export type EmbedCodeInput = {
  snippet: Pick<EmbedSnippet, 'html' | 'src' | 'placeholder'>;
  /** The text that replaces the placeholder. Undefined: the placeholder remains. */
  tokenString: string | undefined;
  options: ViewerOptions;
  designId: string;
  designName: string;
  /** The origin of the service. */
  service: string;
  /** A page that shows the design, for code that only links to it. */
  pageUrl: string;
};

/** Creates the code to paste. That for HTML is what the service returned, with the token in place of the placeholder. */
export function createEmbedCode(target: EmbedTarget, input: EmbedCodeInput): string {
  const { snippet, tokenString = snippet.placeholder } = input;
  return CREATORS[target](input).replaceAll(snippet.placeholder, () => tokenString);
}

const CREATORS: Record<EmbedTarget, (input: EmbedCodeInput) => string> = {
  html: ({ snippet }) => snippet.html,
  wordpress: ({ snippet }) => snippet.html,
  shopify: ({ snippet }) => snippet.html,
  notion: ({ snippet }) => snippet.src,
  element: ({ snippet, service }) =>
    `<script src="${service}/sdk/v1/cloche.js" async></script>\n<cloche-viewer>${snippet.html}</cloche-viewer>`,
  javascript: createJavaScript,
  react: createReact,
  vue: (input) =>
    `<script setup>\nimport '@cloche/sdk/vue';\n</script>\n\n<template>\n${createElement(input, escapeAttribute)}\n</template>`,
  svelte: (input) =>
    `<script>\n  import '@cloche/sdk/svelte';\n</script>\n\n${createElement(input, escapeSvelteAttribute).replace(/^ {2}/gm, '')}`,
  markdown: ({ designName, pageUrl }) =>
    `[![${escapeMarkdown(designName)}](poster.webp)](${pageUrl})`,
};

function createJavaScript({ snippet, options, designId, service }: EmbedCodeInput): string {
  const fields = { design: designId, token: snippet.placeholder, ...normalizeOptions(options) };
  const lines = Object.entries(fields).map(
    ([name, value]) => `    ${name}: ${toScriptText(value)},`,
  );
  return `<div id="design-view"></div>
<script type="module">
  import { createViewer } from "${service}/sdk/v1/cloche.mjs";

  const viewer = createViewer(document.getElementById('design-view'), {
${lines.join('\n')}
  });
</script>`;
}

function createReact({ snippet }: EmbedCodeInput): string {
  const { style = '', ...attributes } = parseIframeAttributes(snippet.html);
  const lines = Object.entries(attributes).map(
    ([name, value]) =>
      `      ${name === 'referrerpolicy' ? 'referrerPolicy' : name}=${toJsx(value)}`,
  );
  return `export function DesignView() {
  return (
    <iframe
${lines.join('\n')}
      style={{
${toStyleProperties(style)}
      }}
    />
  );
}`;
}

/** An attribute of JSX has no escapes but entities, so a text with special characters is an expression. */
function toJsx(value: string): string {
  return /^[^"&\\{}<>\n]*$/.test(value) ? `"${value}"` : `{${JSON.stringify(value)}}`;
}

function toStyleProperties(style: string): string {
  return style
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':');
      const name = declaration
        .slice(0, colon)
        .replace(/-[a-z]/g, ([, letter = '']) => letter.toUpperCase());
      const value = declaration.slice(colon + 1);
      return `        ${name}: ${/^\d+(\.\d+)?$/.test(value) ? value : toScriptText(value)},`;
    })
    .join('\n');
}

/** The element with its attributes on lines of their own, indented by two spaces. */
function createElement(
  { snippet, options, designId, service }: EmbedCodeInput,
  escapeValue: (text: string) => string,
): string {
  const attributes = Object.entries(normalizeOptions(options)).map(
    ([name, value]) => [toParameterName(name as ViewerOptionName), String(value)] as const,
  );
  const lines = [
    ['service', service] as const,
    ['design', designId] as const,
    ['token', snippet.placeholder] as const,
    ...attributes,
  ].map(([name, value]) => `    ${name}="${escapeValue(value)}"`);
  return `  <cloche-viewer\n${lines.join('\n')}\n  ></cloche-viewer>`;
}

/** A literal that cannot end the script element around it. */
function toScriptText(value: boolean | number | string): string {
  if (typeof value !== 'string') return String(value);
  const text = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${text.replace(/[<>\u2028\u2029]/g, toUnicodeEscape)}'`;
}

const toUnicodeEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const toEntity = (character: string) => `&#${character.charCodeAt(0)};`;

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, toEntity);
}

/** Svelte reads braces in attributes as expressions. */
function escapeSvelteAttribute(text: string): string {
  return text.replace(/[&<>"'{}]/g, toEntity);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#!|&]/g, '\\$&');
}
