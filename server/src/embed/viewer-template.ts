import { createHash } from 'node:crypto';
import { parseColor } from '@cloche/contract/option-values';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { escapeHtml, toScriptSafeJson } from '../http/escape-html.ts';
import type { PosterVisibility } from './poster-visibility.ts';

/** The poster that is part of the document: WebP. Width and height in pixels. */
export type InlinePoster = {
  bytes: Buffer;
  width: number;
  height: number;
  visibility: PosterVisibility;
};

/** Parts of the template: for the option `loading=click`, for the options `theme` and `background`, and for documents that browsers may cache. */
const SECTION_NAMES = ['click', 'themed', 'cacheable'];
const SECTION = new RegExp(`\\{\\{#(${SECTION_NAMES.join('|')})\\}\\}(.*?)\\{\\{/\\1\\}\\}`, 'gs');
const SLOT = /\{\{(rootAttributes|backgroundStyle|title|inlinePoster|viewerConfig)\}\}/;

/** Parses the template of the framed document into a function that fills its slots. */
export function parseViewerTemplate(
  template: string,
): (config: ViewerConfig, inlinePoster?: InlinePoster) => string {
  const parseVariant = (sections: readonly string[]) =>
    template
      .replace(SECTION, (_, section: string, text: string) =>
        sections.includes(section) ? text : '',
      )
      .split(SLOT);
  // Text at even indexes, slot names at odd ones. A document has any of the sections: each is a bit of the index.
  const variants = Array.from({ length: 2 ** SECTION_NAMES.length }, (_, index) =>
    parseVariant(SECTION_NAMES.filter((_, bit) => index & (2 ** bit))),
  );
  return (config, inlinePoster) => {
    const { title = config.design.name, theme = 'light', background } = config.options ?? {};
    const style = createBackgroundStyle(background);
    const isThemed = theme !== 'light' || style !== undefined;
    const isCacheable = config.documentVersion !== undefined;
    const escapedTitle = escapeHtml(title);
    const slots: Record<string, string> = {
      rootAttributes: `${isCacheable ? ' data-cached' : ''}${isThemed ? ` data-theme="${escapeHtml(theme)}"` : ''}${style === undefined ? '' : ` data-own-background="${style.color}"`}`,
      backgroundStyle: style === undefined ? '' : `<style>${style.text}</style>`,
      title: escapedTitle,
      inlinePoster:
        inlinePoster === undefined ? '' : renderInlinePoster(inlinePoster, escapedTitle),
      viewerConfig: toScriptSafeJson(config),
    };
    const isClick = config.options?.loading === 'click';
    const index = Number(isClick) + 2 * Number(isThemed) + 4 * Number(isCacheable);
    const parts = variants[index] ?? [];
    return parts.map((part, i) => (i % 2 === 0 ? part : slots[part])).join('');
  };
}

/** Returns the hashes of styles that depend on the options, for the Content-Security-Policy. */
export function listOptionStyleHashes({ options }: Pick<ViewerConfig, 'options'>): string[] {
  const style = createBackgroundStyle(options?.background);
  if (style === undefined) return [];
  return [`'sha256-${createHash('sha256').update(style.text).digest('base64')}'`];
}

/**
 * Creates the style of the option `background`: the color is there when the document is first painted, before any script
 * runs. viewer/src/options/background.ts sets the same variable. Nothing but the result of `parseColor` is in it.
 */
function createBackgroundStyle(background = ''): { color: string; text: string } | undefined {
  const color = parseColor(background);
  return color === undefined ? undefined : { color, text: `:root{--own-background:${color}}` };
}

/** Renders the image. The browser paints nothing of a template; viewer/src/ui/inline-poster.ts takes it from there. */
function renderInlinePoster(
  { bytes, width, height, visibility }: InlinePoster,
  title: string,
): string {
  const state = visibility === 'without-scripts' ? ' class="unchecked"' : '';
  const image = `<img id="inline-poster"${state} alt="${title}" width="${width}" height="${height}" src="data:image/webp;base64,${bytes.toString('base64')}">`;
  return visibility === 'after-check'
    ? `<template id="unchecked-poster">${image}</template>`
    : image;
}
