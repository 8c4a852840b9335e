import type { TestServer } from './harness.ts';
import { HOST_HEADER, SHOP_ORIGIN } from './requests.ts';

/** What a browser sends for an iframe of a listed page. */
export const IFRAME_HEADERS = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };

/** Requests the framed document of a design. */
export const getFramedDocument = (
  { app }: Pick<TestServer, 'app'>,
  id: string,
  token: string,
  headers: Record<string, string> = IFRAME_HEADERS,
) =>
  app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: { ...HOST_HEADER, ...headers },
  });
