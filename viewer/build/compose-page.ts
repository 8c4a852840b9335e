import { createHash } from 'node:crypto';
import { toTextDirection } from '@cloche/contract/language';
import type { Language } from '@cloche/contract/viewer-options';
import type { MessageKey } from '../src/i18n/en.ts';
import { getMessages } from '../src/i18n/translations.ts';
import { type BundledScripts, PUBLIC_PATH } from './scripts.ts';

type PageParts = {
  template: string;
  /** The styles of the frame, the poster and the messages: what is shown if no script runs. */
  firstStyle: string;
  /** The style of the options `theme` and `background`. */
  themeStyle: string;
  style: string;
  /** The script that shows a document unless it is from the browser's cache. */
  showSent: string;
  boot: string;
  /** The style and the script of the button that starts to load the design. */
  clickToLoad: { style: string; script: string };
  scripts: Pick<BundledScripts, 'entry'>;
  language: Language;
  /** The texts that the scripts need until the deferred texts have loaded. */
  scriptMessages: Partial<Record<MessageKey, string>>;
  /** The file with the deferred texts. */
  deferredMessages: string;
};

/**
 * Fills the slots of the template for a language: `[[name]]` with a part of the build, `[[text:key]]` with a
 * text of `src/i18n`. The server fills the remaining slots, `{{name}}`, for each design, and keeps the
 * parts between `{{#click}}` and `{{/click}}` with the option `loading=click`, those between `{{#themed}}` and `{{/themed}}`
 * with the options `theme` and `background`, and those between `{{#cacheable}}` and `{{/cacheable}}` if browsers may cache the document.
 */
export function composePage(page: PageParts): string {
  const { template, firstStyle, themeStyle, style, clickToLoad, scripts, language } = page;
  const texts = getMessages(language);
  const scriptMessages = JSON.stringify(page.scriptMessages).replaceAll('<', '\\u003c');
  const parts: Record<string, string> = {
    messages: `<script type="application/json" id="messages" data-deferred="${PUBLIC_PATH}${page.deferredMessages}">${scriptMessages}</script>`,
    links: `<link rel="modulepreload" href="${PUBLIC_PATH}${scripts.entry}">`,
    viewerConfig: '<script type="application/json" id="viewer-config">{{viewerConfig}}</script>',
    firstStyle: `<style>${firstStyle}</style>`,
    themeStyle: `<style>${themeStyle}</style>`,
    style: `<style>${style}</style>`,
    // An empty reference is the URL of the document, with its query.
    documentUrl: '',
    showSent: `<script>${page.showSent}</script>`,
    boot: `<script>${page.boot}</script>`,
    clickToLoad: `<style>${clickToLoad.style}</style><script>${clickToLoad.script}</script>`,
  };
  const localized = template.replace(
    '<html lang="en" dir="ltr"',
    `<html lang="${language}" dir="${toTextDirection(language)}"`,
  );
  return localized.replace(/\[\[([\w:.-]+)\]\]/g, (_, slot: string) => {
    const [, key] = /^text:(.*)$/.exec(slot) ?? [];
    const value = key === undefined ? parts[slot] : texts[key as MessageKey];
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
