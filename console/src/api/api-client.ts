import type { Session } from '@cloche/contract/session';
import type { CreatedToken } from '@cloche/contract/token';
import { common } from '../i18n/en/common.ts';
import { ApiError } from './api-error.ts';

type RequestOptions = {
  /** Default: POST with a body, else GET. */
  method?: string;
  /** The body, sent as JSON. */
  json?: object;
  /** The body, sent unchanged. */
  file?: Blob;
  accept?: string;
  /** The version of the object that a change is for, from `ETag`. */
  ifMatch?: string;
  signal?: AbortSignal;
};

/** Says why a session has ended that the service no longer knows. */
type SessionEndTexts = { otherSession: string; signedOut: string };

const SESSION_END_CODES = [
  'session.ended',
  'token.missing',
  'token.expired',
  'token.revoked',
  'token.unknown',
  'token.malformed',
  'token.user-disabled',
];

/** Calls the API with a session. Its cookie is sent by the browser, and no script can read it. */
export class ApiClient {
  #session: Session;
  #isReplacingToken = false;
  /** Called once, when the service no longer accepts the session. */
  onSessionEnd: (error: ApiError) => void = () => undefined;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Starts a session with an API token. @throws {ApiError} */
  static async signIn(token: string): Promise<ApiClient> {
    return new ApiClient(await startWithToken(token));
  }

  /** Starts a session with the code of a one-time link. @throws {ApiError} */
  static async signInWithLink(code: string): Promise<ApiClient> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ code });
    const init = { method: 'POST', headers, body };
    return new ApiClient(await startSession('/v1/sessions/from-link', init));
  }

  /** Continues the session of the browser. Undefined if it has none, or one that has ended. @throws {ApiError} it is not known */
  static async resume(): Promise<ApiClient | undefined> {
    try {
      const session = await readSession();
      return session && new ApiClient(session);
    } catch (error) {
      if (error instanceof ApiError && isSessionEnd(error)) return undefined;
      throw error;
    }
  }

  get session(): Session {
    return this.#session;
  }

  /** Ends the session, also in other tabs. Returns false if the service has not confirmed it: the cookie may still be valid. */
  async signOut(): Promise<boolean> {
    const { onSessionEnd } = this;
    this.onSessionEnd = () => undefined;
    const path = '/v1/sessions/current';
    const response = await send(path, { method: 'DELETE' }).catch(() => undefined);
    const isSignedOut = response?.status === 204 || response?.status === 401;
    if (!isSignedOut) this.onSessionEnd = onSessionEnd;
    return isSignedOut;
  }

  /**
   * Replaces the token of the session by a successor, and continues as a session of the successor: the former session ends with
   * its token. What was requested before may be answered later, and does not end the new session. @throws {ApiError}
   */
  async replaceToken(rotate: () => Promise<CreatedToken>): Promise<CreatedToken> {
    this.#isReplacingToken = true;
    try {
      const successor = await rotate();
      const former = this.#session;
      // If this fails, the successor is shown all the same. The next request ends the session.
      this.#session = await startWithToken(successor.token).catch(() => former);
      return successor;
    } finally {
      this.#isReplacingToken = false;
    }
  }

  /** Sends a request. @throws {ApiError} also for every status from 400 */
  async request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { json, file, signal, accept, ifMatch } = options;
    const isRead = json === undefined && file === undefined;
    const { method = isRead ? 'GET' : 'POST' } = options;
    const session = this.#session;
    const response = await send(path, {
      method,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': 'application/octet-stream' }),
        ...(accept !== undefined && { accept }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(file !== undefined && { body: file }),
      ...(signal !== undefined && { signal }),
    });
    if (response.ok) return response;
    const error = ApiError.fromResponse(response.status, await response.text());
    this.reportError(error, session);
    throw error;
  }

  /** Sends a request and returns the JSON of its response. @throws {ApiError} */
  async getJson<T>(path: string, json?: object, method?: string): Promise<T> {
    const options = {
      accept: 'application/json',
      ...(json && { json }),
      ...(method && { method }),
    };
    return (await this.request(path, options)).json() as Promise<T>;
  }

  /** Reads the session again. It has ended if the service says so, or if the browser is signed in with another one. */
  async checkSession({ otherSession, signedOut }: SessionEndTexts): Promise<void> {
    const session = this.#session;
    try {
      const found = await readSession();
      if (found === undefined) this.#end(new ApiError(signedOut), session);
      else if (found.id !== session.id) this.#end(new ApiError(otherSession), session);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.reportError(error, session);
    }
  }

  /** Ends the session if an error says so. `session` is the one that the request was sent with. */
  reportError(error: ApiError, session = this.#session): void {
    if (isSessionEnd(error)) this.#end(error, session);
  }

  #end(error: ApiError, session: Session): void {
    if (this.#isReplacingToken || session !== this.#session) return;
    const { onSessionEnd } = this;
    this.onSessionEnd = () => undefined;
    onSessionEnd(error);
  }
}

function isSessionEnd({ problem }: ApiError): boolean {
  return SESSION_END_CODES.includes(problem?.code ?? '');
}

function startWithToken(token: string): Promise<Session> {
  const headers = { authorization: `Bearer ${token}` };
  return startSession('/v1/sessions', { method: 'POST', headers });
}

async function startSession(path: string, init: RequestInit): Promise<Session> {
  return (await sendForSession(path, init)).json();
}

/** Undefined: the browser is not signed in. */
async function readSession(): Promise<Session | undefined> {
  const response = await sendForSession('/v1/sessions/current', {});
  return response.status === 204 ? undefined : response.json();
}

async function sendForSession(path: string, init: RequestInit): Promise<Response> {
  const response = await send(path, init);
  if (!response.ok) throw ApiError.fromResponse(response.status, await response.text());
  return response;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(common.offline);
  }
}
