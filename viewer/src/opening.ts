import { type Framed, GRANT_HEADER } from '@cloche/contract/framed';

/** What the boot script leaves for the module script: who we show, and the answer on its way. */
export type Opening = { framed: Framed; response: Promise<Response> };

declare global {
  /** Set by boot.ts when the frame may show its design, taken by main.ts. */
  var clocheOpening: Opening | undefined;
}

/** Asks for the model. No cookie goes along: the grant alone opens it. */
export function requestModel({ model, grant }: Framed): Promise<Response> {
  const response = fetch(model.url, {
    headers: { [GRANT_HEADER]: grant },
    credentials: 'omit',
    mode: 'same-origin',
    referrerPolicy: 'no-referrer',
  });
  // Whoever awaits the answer hears of a failure; until then it is not "unhandled".
  response.catch(() => undefined);
  return response;
}
