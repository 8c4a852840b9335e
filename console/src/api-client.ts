import type { Session } from '@cloche/contract/session';
import { ApiError, CONNECTION_ERROR_MESSAGE } from './api-error.ts';

type RequestOptions = {
  /** Default: POST with a body, else GET. */
  method?: string;
  /** The body, sent as JSON. */
  json?: object;
  /** The body, sent unchanged. */
  file?: Blob;
  accept?: string;
  signal?: AbortSignal;
};

/** A session is renewed this long before it expires. */
const RENEWAL_MS = 10 * 60 * 1000;
const SESSION_END_CODES = [
  'token.expired',
  'token.revoked',
  'token.unknown',
  'token.malformed',
  'token.user-disabled',
];

/** Calls the API with a session. The session token is only in the memory of the page. */
export class ApiClient {
  #session: Session;
  #renewal: ReturnType<typeof setTimeout> | undefined;
  /** Called once, when the service no longer accepts the session. */
  onSessionEnd: (error: ApiError) => void = () => undefined;

  private constructor(session: Session) {
    this.#session = session;
    this.#scheduleRenewal();
  }

  /** Exchanges an API token for a session. @throws {ApiError} */
  static async signIn(token: string): Promise<ApiClient> {
    return new ApiClient(await startSession(token));
  }

  get capabilities(): readonly string[] {
    return this.#session.capabilities;
  }

  /** The value of the Authorization header. */
  get authorization(): string {
    return `Bearer ${this.#session.token}`;
  }

  /** Ends the session: this page forgets it. */
  signOut(): void {
    clearTimeout(this.#renewal);
  }

  /** Sends a request. @throws {ApiError} also for every status from 400 */
  async request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { json, file, signal, accept } = options;
    const isRead = json === undefined && file === undefined;
    const { method = isRead ? 'GET' : 'POST' } = options;
    const response = await send(path, {
      method,
      headers: {
        authorization: this.authorization,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': 'application/octet-stream' }),
        ...(accept !== undefined && { accept }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(file !== undefined && { body: file }),
      ...(signal !== undefined && { signal }),
    });
    if (response.ok) return response;
    const error = ApiError.fromResponse(response.status, await response.text());
    this.reportError(error);
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

  /** Ends the session if an error says so. */
  reportError(error: ApiError): void {
    if (!SESSION_END_CODES.includes(error.problem?.code ?? '')) return;
    const { onSessionEnd } = this;
    this.onSessionEnd = () => undefined;
    this.signOut();
    onSessionEnd(error);
  }

  #scheduleRenewal(): void {
    const delayMs = Date.parse(this.#session.expiresAt) - Date.now() - RENEWAL_MS;
    this.#renewal = setTimeout(() => void this.#renew(), Math.max(0, delayMs));
  }

  async #renew(): Promise<void> {
    try {
      const session = await startSession(this.#session.token);
      // A token that expires soon cannot have a longer session.
      const isLonger = session.expiresAt > this.#session.expiresAt;
      this.#session = session;
      if (isLonger) this.#scheduleRenewal();
    } catch (error) {
      // Without a connection the next request reports the problem.
      if (error instanceof ApiError) this.reportError(error);
    }
  }
}

async function startSession(token: string): Promise<Session> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await send('/v1/sessions', { method: 'POST', headers });
  if (!response.ok) throw ApiError.fromResponse(response.status, await response.text());
  return response.json();
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(CONNECTION_ERROR_MESSAGE);
  }
}
