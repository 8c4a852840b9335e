/**
 * The inline script of the framed document: looks where it is framed, starts the first requests, so
 * that they travel beside the one for the module script, and fills the frame with what the document
 * knows.
 */
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestFirstAsset } from './bootstrap-state.ts';
import { findDisallowedAncestor } from './find-disallowed-ancestor.ts';
import { showMessage } from './ui/message-overlay.ts';
import { showPlaceholder } from './ui/placeholder.ts';
import { setPosterLayout, showPoster } from './ui/poster.ts';

/** The scripts that a preview is read with, by their addresses; the build puts them in. */
declare const PREVIEW_SCRIPTS: readonly string[];

const configElement = document.getElementById('viewer-config') as HTMLElement;
const config = JSON.parse(configElement.textContent) as ViewerConfig;
configElement.remove();

if (config.posterMode) {
  // Opened by the service itself, which takes its picture.
  document.documentElement.dataset.posterMode = '';
  globalThis.clocheBootstrap = { config, firstResponse: requestFirstAsset(config) };
} else if (top === self) {
  showMessage(document, 'refused', {
    title: 'This design lives inside another page',
    detail: 'It cannot be opened on its own. Please visit the page that shows it.',
  });
} else {
  const stranger = findDisallowedAncestor(location.ancestorOrigins, config.allowedOrigins);
  if (stranger === undefined) start(config);
  else {
    showMessage(document, 'refused', {
      title: 'This design is not shown here',
      detail: `${stranger} is not on the list of sites that may show it.`,
    });
  }
}

function start(config: ViewerConfig): void {
  globalThis.clocheBootstrap = { config, firstResponse: requestFirstAsset(config) };
  if (config.preview !== undefined) for (const href of PREVIEW_SCRIPTS) preloadModule(href);
  setPosterLayout(document.documentElement, config);
  showPoster(document, config).catch(() => undefined);
  if (config.posterPlaceholder !== undefined) showPlaceholder(document, config.posterPlaceholder);
}

function preloadModule(href: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
}
