import { createHash } from 'node:crypto';
import { en, type MessageKey } from '../src/i18n/en.ts';
import { type BundledScripts, PUBLIC_PATH } from './scripts.ts';

type PageParts = {
  template: string;
  /** The styles of the frame, the poster and the messages: what is shown if no script runs. */
  firstStyle: string;
  style: string;
  boot: string;
  scripts: Pick<BundledScripts, 'entry' | 'staticImports'>;
};

/**
 * Fills the slots of the template: `[[name]]` with a part of the build, `[[text:key]]` with a text of
 * `src/i18n/en.ts`. The server fills the remaining slots, `{{name}}`, for each design.
 */
export function composePage({ template, firstStyle, style, boot, scripts }: PageParts): string {
  const links = [scripts.entry, ...scripts.staticImports].map(
    (file) => `<link rel="modulepreload" href="${PUBLIC_PATH}${file}">`,
  );
  const parts: Record<string, string> = {
    links: links.join('\n'),
    viewerConfig: '<script type="application/json" id="viewer-config">{{viewerConfig}}</script>',
    firstStyle: `<style>${firstStyle}</style>`,
    style: `<style>${style}</style>`,
    // An empty reference is the URL of the document, with its query.
    documentUrl: '',
    boot: `<script>${boot}</script>`,
  };
  return template.replace(/\[\[([\w:.-]+)\]\]/g, (_, slot: string) => {
    const [, key] = /^text:(.*)$/.exec(slot) ?? [];
    const value = key === undefined ? parts[slot] : en[key as MessageKey];
    if (value === undefined) throw new Error(`The template has an unknown slot: ${slot}.`);
    return key === undefined ? value : escapeHtml(value);
  });
}

/** Returns the source expression of an inline script or style for a Content-Security-Policy. */
export function toCspHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
