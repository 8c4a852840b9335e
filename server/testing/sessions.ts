import assert from 'node:assert/strict';
import type { Session } from '@cloche/contract/session';
import type { TestServer } from './harness.ts';
import { sendRequest } from './requests.ts';

export const OWN_ORIGIN = 'http://cloche.test';
/** A POST request of a page of the service. A GET request has no Origin. */
export const OWN_PAGE = {
  origin: OWN_ORIGIN,
  'sec-fetch-site': 'same-origin',
  referer: `${OWN_ORIGIN}/`,
};

type Headers = Record<string, string>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';

/** A browser that may be signed in. */
export type TestBrowser = {
  /** The header with the cookie. */
  cookie: string;
  session: Session;
  call(
    method: Method,
    url: string,
    body?: object,
    headers?: Headers,
  ): ReturnType<typeof sendRequest>;
};

/** Sends a request to sign in with a token. */
export const postSession = (
  service: TestServer,
  headers: Headers = OWN_PAGE,
  token = service.token,
) => sendRequest({ ...service, token }, 'POST', '/v1/sessions', undefined, headers);

/** Returns the cookie of a response as a browser sends it. */
export function readCookie(response: { headers: Record<string, unknown> }): string {
  return String(response.headers['set-cookie']).split(';')[0] ?? '';
}

/** Signs in with a token. */
export async function signIn(service: TestServer, token = service.token): Promise<TestBrowser> {
  const response = await postSession(service, OWN_PAGE, token);
  assert.equal(response.statusCode, 200, response.body);
  return openBrowser(service, readCookie(response), response.json());
}

/** A browser with a cookie. */
export function openBrowser(service: TestServer, cookie: string, session: Session): TestBrowser {
  const call: TestBrowser['call'] = (method, url, body, headers = OWN_PAGE) =>
    sendRequest(service, method, url, body, { authorization: '', cookie, ...headers });
  return { cookie, session, call };
}
