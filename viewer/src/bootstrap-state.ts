import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';

/** What the boot script leaves for the module script: who we show, and the answer on its way. */
export type BootstrapState = {
  config: ViewerConfig;
  /** To the request for the preview, or for the model when there is none. */
  firstResponse: Promise<Response>;
};

declare global {
  /** Set by boot.ts when the frame may show its design, taken by main.ts. */
  var clocheBootstrap: BootstrapState | undefined;
}

/** Asks for what is shown first: the preview, or the model when there is none. */
export function requestFirstAsset({
  preview,
  model,
  grant,
  posterMode,
}: ViewerConfig): Promise<Response> {
  return requestAsset((posterMode ? model : (preview ?? model)).url, grant);
}

/** Asks for a file of the design. No cookie goes along: the grant alone opens it. */
export function requestAsset(url: string, grant: string): Promise<Response> {
  const response = fetch(url, {
    headers: { [GRANT_HEADER]: grant },
    credentials: 'omit',
    mode: 'same-origin',
    referrerPolicy: 'no-referrer',
  });
  // Whoever awaits the answer hears of a failure; until then it is not "unhandled".
  response.catch(() => undefined);
  return response;
}
