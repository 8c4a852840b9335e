import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { CreatedToken } from '@cloche/contract/token';
import { makeBox } from '@cloche/pipeline/testing/models';
import { apiHeaders, type TestServer } from './harness.ts';

export const SHOP_ORIGIN = 'https://shop.example';
/** A valid id that no design has. */
export const UNKNOWN_DESIGN_ID = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
export const GLB_HEADERS = { 'content-type': 'model/gltf-binary' };
export const HOST_HEADER = { host: 'cloche.test' };
/** The request that creates a public token for the shop. */
export const CREATE_TOKEN_REQUEST = {
  capabilities: ['embed'],
  origins: [SHOP_ORIGIN],
  type: 'api',
  user: '~',
};

/** A server and the token of its client. Without `origin`, the Host header is `cloche.test`. */
export type TestClient = Pick<TestServer, 'app' | 'token'> & { origin?: string };

const PREFER_WAIT = { prefer: 'wait=60' };

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD' | 'OPTIONS';

/** Sends an API request. Objects are sent as JSON, text and bytes unchanged. Uploads wait for processing. */
export function sendRequest(
  { app, token, origin }: TestClient,
  method: Method,
  url: string,
  body?: object | string,
  headers: Record<string, string> = {},
) {
  return app.inject({
    method,
    url,
    headers: {
      ...apiHeaders(token),
      ...(origin !== undefined && { host: new URL(origin).host }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(url.startsWith('/v1/designs') && ['POST', 'PUT'].includes(method) && PREFER_WAIT),
      ...headers,
    },
    ...(body !== undefined && { payload: body }),
  });
}

/** Creates a token. By default a public token for SHOP_ORIGIN. */
export async function issueToken(
  service: TestClient,
  overrides: object = {},
): Promise<CreatedToken> {
  const body = { ...CREATE_TOKEN_REQUEST, ...overrides };
  const response = await sendRequest(service, 'POST', '/v1/tokens', body);
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json();
}

/** Uploads a small model with unique bytes as the request body, and waits until it is ready. */
export async function uploadTestDesign(
  service: TestClient,
  name = 'Oak chair',
  bytes: Buffer = makeBox({ name }),
): Promise<Design> {
  const url = `/v1/designs?name=${encodeURIComponent(name)}`;
  const response = await sendRequest(service, 'POST', url, bytes, GLB_HEADERS);
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json();
}

/** Opens the server's database file a second time. */
export function openServerDatabase(
  t: TestContext,
  { dataDirectory }: Pick<TestServer, 'dataDirectory'>,
): DatabaseSync {
  const database = new DatabaseSync(join(dataDirectory, 'cloche.sqlite'));
  t.after(() => database.close());
  return database;
}
