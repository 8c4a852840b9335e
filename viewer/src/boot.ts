/**
 * The inline script of the framed document. It checks which pages embed the document, and shows the
 * placeholder and the poster. It also requests the first file of the design, so that the browser loads
 * that file and the module script in parallel.
 */
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { takeViewerConfig } from './boot-state.ts';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';
import type { MessageKey } from './i18n/en.ts';
import { fillPlaceholders } from './i18n/translate.ts';
import { requestFirstAsset } from './request-asset.ts';
import { showMessage } from './ui/message-overlay.ts';
import { showPlaceholder } from './ui/placeholder.ts';
import { setPosterLayout, showPoster } from './ui/poster.ts';

/** The URLs of the scripts that read a preview. Defined by the build. */
declare const PREVIEW_SCRIPTS: readonly string[];
/** The texts of a refusal. Defined by the build: an import of en.ts would add all other texts. */
declare const REFUSAL_MESSAGES: Record<Extract<MessageKey, `refused.${string}`>, string>;

const config = takeViewerConfig(document);

if (config.posterMode) {
  // The server's own browser has opened the document, not in an iframe, to render the poster.
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
  // An error is ignored: the design is also shown without a poster.
  showPoster(document, config).catch(() => undefined);
  if (config.posterPlaceholder !== undefined) showPlaceholder(document, config.posterPlaceholder);
}

function preloadModule(href: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
}
