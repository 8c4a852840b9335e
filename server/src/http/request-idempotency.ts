import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import {
  hashIdempotencyKey,
  type IdempotencyStore,
  type SaveResponse,
  type StoredResponse,
  sha256,
} from './idempotency-store.ts';
import type { SessionCookie } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes with `config.idempotencyKey`. */
    idempotency: RequestIdempotency;
  }
}

type IdempotencyDependencies = {
  idempotency: IdempotencyStore;
  cookie: SessionCookie;
  now: () => Date;
};

const KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;

/**
 * Gives every route with `config.idempotencyKey` the means to run once per `Idempotency-Key`. A route
 * that creates something cannot forget it: each POST and PUT route must set it to true or false, and a
 * route that sets it to true but does not use it fails.
 */
export function registerIdempotency(
  app: FastifyInstance,
  { idempotency, cookie, now }: IdempotencyDependencies,
): void {
  app.decorateRequest('idempotency');
  app.addHook('onRoute', (route) => {
    const { config, method, url, schema, preHandler = [], onSend = [] } = route;
    if (['POST', 'PUT'].includes(String(method))) {
      const isDeclared = typeof config?.idempotencyKey === 'boolean';
      assert(isDeclared, `The route ${method} ${url} has no config.idempotencyKey.`);
    }
    if (!config?.idempotencyKey) return;
    const responses = schema?.response as Record<number, TSchema> | undefined;
    const responseSchema = responses?.[201] ?? responses?.[200];
    assert(responseSchema, `The route ${method} ${url} has no response schema.`);
    const createForRequest = async (request: FastifyRequest) => {
      const { authorization, cookie: cookies } = request.headers;
      // What the caller has authenticated with.
      const credential = authorization || cookie.read(cookies);
      const options = { store: idempotency, credential, responseSchema, now };
      request.idempotency = new RequestIdempotency(request, options);
    };
    const assertUsed = async ({ idempotency }: FastifyRequest, reply: FastifyReply) => {
      assert(reply.statusCode >= 300 || idempotency.isUsed, `${url} ignores the Idempotency-Key.`);
    };
    route.preHandler = [createForRequest, preHandler].flat();
    route.onSend = [assertUsed, onSend].flat();
  });
}

type RequestIdempotencyOptions = {
  store: IdempotencyStore;
  /** The `Authorization` header, or the secret of a session: callers with the same key are different ones. */
  credential: string | undefined;
  responseSchema: TSchema;
  now: () => Date;
};

/** Runs a request once per Idempotency-Key. Without a key, every request runs. */
export class RequestIdempotency {
  /** Whether the handler has used the key. */
  isUsed = false;
  readonly #request: FastifyRequest;
  readonly #store: IdempotencyStore;
  readonly #credential: string;
  readonly #responseSchema: TSchema;
  readonly #now: () => Date;
  readonly #key: string | undefined;

  /** @throws {Problem} request.invalid */
  constructor(
    request: FastifyRequest,
    { store, credential = '', responseSchema, now }: RequestIdempotencyOptions,
  ) {
    this.#request = request;
    this.#store = store;
    this.#credential = credential;
    this.#responseSchema = responseSchema;
    this.#now = now;
    this.#key = parseIdempotencyKey(request);
  }

  /**
   * Runs `operation`, or returns the first response to a request with the same key. `operation` must
   * call `save` in the transaction that writes its rows.
   *
   * @param content identifies the body. Default: the JSON body. A route that receives a file passes its hash
   * @throws {Problem} idempotency.reused, idempotency.in-progress
   */
  runOnce(
    operation: (save: SaveResponse) => Promise<StoredResponse>,
    content?: string,
  ): Promise<StoredResponse> {
    this.isUsed = true;
    const key =
      this.#key === undefined
        ? undefined
        : { ...this.#callerKey(this.#key), fingerprint: this.#fingerprint(content) };
    const now = this.#now();
    return this.#store.runOnce({ key, now, responseSchema: this.#responseSchema }, operation);
  }

  /** The hash of the key, for what counts only once for all requests with it. Undefined without a key. */
  get keyHash(): string | undefined {
    return this.#key === undefined ? undefined : hashIdempotencyKey(this.#callerKey(this.#key));
  }

  /** Whether an earlier request with the same key has a response, or is running. */
  async hasResponse(): Promise<boolean> {
    if (this.#key === undefined) return false;
    return this.#store.hasResponse(this.#callerKey(this.#key), this.#now());
  }

  /** Returns the response, or the first one to a request with the same key. For a request without rows. */
  respondOnce(response: StoredResponse): Promise<StoredResponse> {
    return this.runOnce(async (save) => {
      await save(undefined, response);
      return response;
    });
  }

  /**
   * Returns hashes of the key and of the request, for a module that stores its responses itself.
   * Undefined without a key.
   */
  hashKey(content: string): { keyHash: string; requestHash: string } | undefined {
    this.isUsed = true;
    if (this.#key === undefined) return undefined;
    return {
      keyHash: hashIdempotencyKey(this.#callerKey(this.#key)),
      requestHash: sha256(this.#fingerprint(content)),
    };
  }

  #callerKey(key: string) {
    return { credential: this.#credential, key };
  }

  /** Route, path and content: the same key cannot be used for another resource. */
  #fingerprint(content = JSON.stringify(this.#request.body)): string {
    const { method, routeOptions, params } = this.#request;
    return `${method} ${routeOptions.url} ${JSON.stringify(params)} ${content}`;
  }
}

/** Sends a response of `runOnce`. */
export function sendStoredResponse<T>(
  reply: FastifyReply,
  { status, location, etag }: StoredResponse,
  body: T,
): T {
  if (location !== undefined) reply.header('location', location);
  if (etag !== undefined) reply.header('etag', etag);
  reply.code(status);
  return body;
}

function parseIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY_PATTERN.test(key))) return key;
  throw new Problem('request.invalid', {
    field: 'header.idempotency-key',
    detail: 'header.idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID.',
  });
}
