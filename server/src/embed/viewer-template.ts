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

/** Parses the template of the framed document into a function that fills its slots. */
export function parseViewerTemplate(
  template: string,
): (config: ViewerConfig, inlinePoster?: InlinePoster) => string {
  // Text at even indexes, slot names at odd ones.
  const parts = template.split(/\{\{(title|inlinePoster|viewerConfig)\}\}/);
  return (config, inlinePoster) => {
    const title = escapeHtml(config.design.name);
    const slots: Record<string, string> = {
      title,
      inlinePoster: inlinePoster === undefined ? '' : renderInlinePoster(inlinePoster, title),
      viewerConfig: toScriptSafeJson(config),
    };
    return parts.map((part, i) => (i % 2 === 0 ? part : slots[part])).join('');
  };
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
