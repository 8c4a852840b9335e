/**
 * The inline script of the framed document. It checks where the document is framed, starts the first
 * requests, so that they run in parallel with the one for the module script, and shows placeholder
 * and poster.
 */
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { takeViewerConfig } from './bootstrap-state.ts';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';
import type { MessageKey } from './i18n/en.ts';
import { fillPlaceholders } from './i18n/translate.ts';
import { requestFirstAsset } from './request-asset.ts';
import { showMessage } from './ui/message-overlay.ts';
import { showPlaceholder } from './ui/placeholder.ts';
import { setPosterLayout, showPoster } from './ui/poster.ts';

/** The URLs of the scripts that read a preview. Defined by the build. */
declare const PREVIEW_SCRIPTS: readonly string[];
/** Defined by the build, so that this script does not contain all other texts. */
declare const REFUSAL_MESSAGES: Record<Extract<MessageKey, `refused.${string}`>, string>;

const config = takeViewerConfig(document);

if (config.posterMode) {
  // Opened by the server's own browser, at the top level, to render the poster.
  document.documentElement.dataset.posterMode = '';
  globalThis.clocheBootstrap = { config, firstResponse: requestFirstAsset(config) };
} else if (top === self) {
  refuse(REFUSAL_MESSAGES['refused.topLevel.title'], REFUSAL_MESSAGES['refused.topLevel.detail']);
} else {
  const origin = findDisallowedAncestor(location.ancestorOrigins, config.allowedOrigins);
  if (origin === undefined) start(config);
  else {
    const detail = fillPlaceholders(REFUSAL_MESSAGES['refused.ancestor.detail'], { origin });
    refuse(REFUSAL_MESSAGES['refused.ancestor.title'], detail);
  }
}

function refuse(title: string, detail: string): void {
  document.documentElement.dataset.state = 'refused';
  showMessage(document, { title, detail });
}

function start(config: ViewerConfig): void {
  globalThis.clocheBootstrap = { config, firstResponse: requestFirstAsset(config) };
  if (config.preview !== undefined) for (const href of PREVIEW_SCRIPTS) preloadModule(href);
  setPosterLayout(document.documentElement, config);
  // The design is loaded with or without a poster.
  showPoster(document, config).catch(() => undefined);
  if (config.posterPlaceholder !== undefined) showPlaceholder(document, config.posterPlaceholder);
}

function preloadModule(href: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
}
