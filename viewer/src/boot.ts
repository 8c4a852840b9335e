/**
 * The inline script of the framed document. It checks which pages embed the document, and shows the poster. It
 * also requests the first file of the design, so that the browser loads that file and the module script in
 * parallel, and starts the module script. If that does not start, it shows a message.
 */
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { takeViewerConfig } from './boot-state.ts';
import { findDisallowedAncestor, HIDDEN_ANCESTOR } from './find-disallowed-ancestor.ts';
import type { MessageKey } from './i18n/en.ts';
import { loadDeferredMessages } from './i18n/load-deferred-messages.ts';
import { type MessageParameters, translate } from './i18n/translate.ts';
import { receiveSyns, reportRefusal } from './messages/receive-syns.ts';
import { reportFailure } from './messages/report-failure.ts';
import { confirmReload } from './reload.ts';
import { reloadAfterReturn } from './reload-after-return.ts';
import { requestFirstAsset } from './request-asset.ts';
import { revalidateDocument } from './revalidate-document.ts';
import { startLoading } from './start-loading.ts';
import { watchStart } from './start-watch.ts';
import { showInlinePoster } from './ui/inline-poster.ts';
import { hideMessage, showMessage } from './ui/message-overlay.ts';
import { setPosterLayout, showPoster } from './ui/poster.ts';

/** The URL of the module script. Defined by the build. */
declare const MODULE_SCRIPT: string;
/** The URL of the script that applies options. Defined by the build. */
declare const OPTIONS_SCRIPT: string;
/** The URLs of the scripts that only the controls import. Defined by the build. */
declare const CONTROLS_IMPORTS: readonly string[];

/**
 * Evaluating the scripts blocks the page, so a poster is painted first, inline or not; but one that is late does not
 * delay the model for longer.
 */
const MAX_POSTER_WAIT_MS = 100;

const config = takeViewerConfig(document);
const root = document.documentElement;
// First: a document from the cache waits for it.
const isShown = revalidateDocument(config, root, location);
void isShown.then((shown) => shown || replaceCachedDocument());

if (config.posterMode) {
  // The server's own browser has opened the document, not in an iframe, to render the poster.
  root.dataset.posterMode = '';
  const loadStart = startLoading(root, 'eager', () => requestFirstAsset(config, root));
  globalThis.clocheBootstrap = { config, isShown, ...loadStart };
  addModuleScript();
} else if (top === self) {
  refuse('embed.not-an-iframe', 'refused.topLevel.advice');
} else {
  const { ancestorOrigins } = location;
  const origin = config.shared
    ? undefined
    : findDisallowedAncestor(ancestorOrigins, config.allowedOrigins, parent !== top);
  if (origin === HIDDEN_ANCESTOR) {
    refuse('embed.unverified-origin', 'refused.hiddenAncestor.advice');
  } else if (origin !== undefined) {
    refuse('embed.origin', 'refused.ancestor.advice', { origin });
  } else if (self.origin === 'null') {
    void showPictures(config);
    fail(translate('refused.title'), 'embed.sandbox', translate('start.sandbox.advice'));
  } else start(config);
}
// Last: if something above fails, this message appears.
document.getElementById('not-started')?.remove();

/** The service sends another document, or a page that says why the design is not shown. */
function replaceCachedDocument(): void {
  const [timing] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // A browser that has taken the document from its cache although it was reloaded would do so again and again.
  if (timing?.type !== 'reload') location.reload();
}

/** Shows the message alone, and removes everything that names the design. */
function refuse(code: string, adviceKey: MessageKey, parameters?: MessageParameters): void {
  root.dataset.state = 'refused';
  delete root.dataset.cached;
  const title = translate('refused.title');
  document.title = title;
  showMessage(document, { title, code, advice: '' });
  void loadDeferredMessages(document).then(
    () => showMessage(document, { title, code, advice: translate(adviceKey, parameters) }),
    // The code is shown.
    () => undefined,
  );
  reportRefusal(window, code);
  for (const element of document.querySelectorAll('main > :not(style, #error)')) element.remove();
}

function start(config: ViewerConfig): void {
  const loading = config.options?.loading;
  const loadStart = startLoading(root, loading, (signal) =>
    requestFirstAsset(config, root, signal),
  );
  const synQueue = receiveSyns(window, config.shared ? 'any' : config.allowedOrigins);
  const preloadControls = () => CONTROLS_IMPORTS.forEach(preloadModule);
  globalThis.clocheBootstrap = { config, isShown, synQueue, preloadControls, ...loadStart };
  const painted = showPictures(config).then(waitForPaint);
  const load = () => loadScripts(config, painted);
  if (loading === 'click') {
    void loadStart.started.then(load);
    // The scripts answer the host page, also before the click.
    synQueue.onSyn = load;
  } else load();
  confirmReload(document, translate('start.offline.text'));
}

function loadScripts({ options }: ViewerConfig, painted: Promise<void>): void {
  const bootstrap = globalThis.clocheBootstrap;
  if (bootstrap === undefined || bootstrap.onStarted !== undefined) return;
  // With `loading=click`, the links of the document are in a template.
  const links = document.querySelector<HTMLTemplateElement>('#script-links');
  if (links !== null) document.head.append(links.content);
  bootstrap.onStarted = watchModuleScript();
  // The module script takes it when it starts.
  reloadAfterReturn(() => globalThis.clocheBootstrap !== undefined);
  if (options !== undefined) preloadModule(OPTIONS_SCRIPT);
  const timeout = new Promise((resolve) => setTimeout(resolve, MAX_POSTER_WAIT_MS));
  void Promise.race([painted, timeout]).then(addModuleScript);
}

/** Resolves when a poster can be painted, or if there is none. */
async function showPictures(config: ViewerConfig): Promise<void> {
  setPosterLayout(root, config);
  const { background } = config.posterPlaceholder ?? {};
  if (background !== undefined) root.style.setProperty('--frame-background', background);
  showInlinePoster(document);
  if (self.origin === 'null') return;
  // An error is ignored: the design is also shown without a poster.
  const shown = showPoster(document, config).catch(() => undefined);
  // The scripts do not wait for the full poster if an inline one is shown.
  if (root.dataset.inlinePoster === undefined) await shown;
}

/** Shows a message if the module script fails or is late. Returns the function that it calls when it starts. */
function watchModuleScript(): () => void {
  let failed = false;
  const stop = watchStart(window, {
    onFailed(reason) {
      failed = true;
      const advice = translate('start.failed.advice', { reason });
      fail(
        translate('start.failed.title'),
        'viewer.script',
        advice,
        translate('start.failed.text'),
      );
    },
    onSlow() {
      failed = true;
      const advice = translate('start.slow.advice');
      fail(translate('start.slow.title'), 'viewer.slow', advice, translate('start.slow.text'));
    },
  });
  return () => {
    stop();
    if (!failed) return;
    root.dataset.state = 'loading';
    hideMessage(document);
  };
}

/** Shows a message with the poster. With a text, the visitor can reload. */
function fail(title: string, code: string, advice: string, text?: string): void {
  root.dataset.state = 'failed';
  showMessage(document, { title, code, advice, text, reloads: text !== undefined });
  const { synQueue } = globalThis.clocheBootstrap ?? {};
  // A document that is replaced has not failed.
  void isShown.then((shown) => shown && reportFailure(window, code, synQueue));
}

/** Resolves in the first task after the next frame. */
function waitForPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** The document has preloaded the script. */
function addModuleScript(): void {
  const script = document.createElement('script');
  document.body.append(Object.assign(script, { type: 'module', src: MODULE_SCRIPT }));
}

function preloadModule(href: string): void {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'modulepreload', href }));
}
