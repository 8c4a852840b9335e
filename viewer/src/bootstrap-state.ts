import type { ViewerConfig } from '@cloche/contract/viewer-config';

/** What the boot script passes to the module script. */
export type BootstrapState = {
  config: ViewerConfig;
  /** The response to the request for the preview, or for the model when there is no preview. */
  firstResponse: Promise<Response>;
};

declare global {
  /** Set by boot.ts when the design may be shown, taken by main.ts. */
  var clocheBootstrap: BootstrapState | undefined;
}

/** Reads the config out of the document and removes its element. */
export function takeViewerConfig(document: Document): ViewerConfig {
  const element = document.getElementById('viewer-config') as HTMLElement;
  element.remove();
  return JSON.parse(element.textContent) as ViewerConfig;
}

/** Returns the state that the boot script has left, once; undefined when it refused to start. */
export function takeBootstrapState(): BootstrapState | undefined {
  const state = globalThis.clocheBootstrap;
  globalThis.clocheBootstrap = undefined;
  return state;
}
