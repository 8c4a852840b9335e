import { type Framed, GRANT_HEADER } from '@cloche/contract/framed';

/** What the boot script leaves for the module script: who we show, and the answer on its way. */
export type Opening = {
  framed: Framed;
  /** To the request for the preview, or for the model when there is none. */
  response: Promise<Response>;
};

declare global {
  /** Set by boot.ts when the frame may show its design, taken by main.ts. */
  var clocheOpening: Opening | undefined;
}

/** Asks for what is shown first: the preview, or the model when there is none. */
export function requestFirst({ preview, model, grant, still }: Framed): Promise<Response> {
  return requestAsset((still ? model : (preview ?? model)).url, grant);
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
