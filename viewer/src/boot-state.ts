import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { SynQueue } from './messages/receive-syns.ts';
import type { LoadStart } from './start-loading.ts';

/** What the boot script passes to the module script. */
type BootState = LoadStart & {
  config: ViewerConfig;
  /** Whether the document is shown. Resolves at once, unless the document is from the browser's cache. */
  isShown: Promise<boolean>;
  /** What the host page has sent. Absent if the document is not in an iframe. */
  synQueue?: SynQueue;
  /** Called when the module script starts. */
  onStarted?: () => void;
  /** Loads what the script of the controls imports, together with it instead of after it. */
  preloadControls?: () => void;
};

declare global {
  /** Set by boot.ts if the design may be shown; main.ts takes it. */
  var clocheBootstrap: BootState | undefined;
}

/** Reads the config from the document and removes its element. Reports what the server ignored in the URL. */
export function takeViewerConfig(document: Document): ViewerConfig {
  const element = document.getElementById('viewer-config') as HTMLElement;
  element.remove();
  const config = JSON.parse(element.textContent) as ViewerConfig;
  for (const line of config.optionWarnings ?? []) console.warn(`Cloche: ${line}`);
  return config;
}

/** Returns the state that boot.ts has set, and clears it. Undefined if the design may not be shown. */
export function takeBootState(): BootState | undefined {
  const state = globalThis.clocheBootstrap;
  globalThis.clocheBootstrap = undefined;
  state?.onStarted?.();
  return state;
}
