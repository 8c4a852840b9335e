import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import { DefaultHttpStack, type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { TestServer } from './harness.ts';
import { sendRequest, type TestClient } from './requests.ts';

type RequestHeaders = Record<string, string>;

export const TUS_HEADERS = { 'tus-resumable': '1.0.0' };
export const TUS_PATCH_HEADERS = {
  ...TUS_HEADERS,
  'content-type': 'application/offset+octet-stream',
};

/** How an upload by a tus client went. */
export type TusClientResult = {
  url: string;
  /** What the header Cloche-Design of the last answer said. */
  designUri: string | undefined;
  /** The methods it used, in order, with the status of each answer. */
  exchanges: string[];
  error: DetailedError | undefined;
};

/** Sends bytes with tus-js-client, to a service or to the address of a line to one. */
export function uploadWithTusClient(
  { origin, token }: Pick<TestServer, 'origin' | 'token'>,
  bytes: Buffer,
  options: UploadOptions = {},
): Promise<TusClientResult> {
  const exchanges: string[] = [];
  const { promise, resolve } = Promise.withResolvers<TusClientResult>();
  const upload = new Upload(bytes, {
    endpoint: `${origin}/v1/uploads`,
    headers: { authorization: `Bearer ${token}` },
    httpStack: new DefaultHttpStack({ lookup: lookupLoopback }),
    retryDelays: [20, 50, 100, 200, 400, 800, 1600],
    onAfterResponse: (request, response) => {
      exchanges.push(`${request.getMethod()} ${response.getStatus()}`);
    },
    onSuccess: ({ lastResponse }) => end(undefined, lastResponse.getHeader('cloche-design')),
    onError: (error) => end(error as DetailedError),
    ...options,
  });
  const end = (error: DetailedError | undefined, designUri?: string) =>
    resolve({ url: upload.url ?? '', designUri, exchanges, error });
  upload.start();
  return promise;
}

// http asks for all addresses of a name, or for one.
function lookupLoopback(
  _name: string,
  { all }: { all?: boolean },
  tell: (...given: unknown[]) => void,
) {
  if (all) tell(null, [{ address: '127.0.0.1', family: 4 }]);
  else tell(null, '127.0.0.1', 4);
}

/** A GLB of about so many bytes, most of which nothing shows. */
export function makeLargeGlb(bytes: number, name = 'Large'): Buffer {
  const { json, bin } = makeUnpackedBox({ name });
  const large = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 4) large.writeUInt32LE((at * 2654435761) >>> 0, at - (at % 4));
  bin.copy(large);
  return makeGlb({ json: { ...json, buffers: [{ byteLength: bytes }] }, bin: large });
}

/** `Upload-Metadata` of some pairs. */
export function uploadMetadataHeader(pairs: RequestHeaders): RequestHeaders {
  const texts = Object.entries(pairs).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  return { 'upload-metadata': texts.join(',') };
}

/** Begins an upload by hand. Answers its path. */
export async function createUpload(
  caller: TestClient,
  bytes: number,
  headers: RequestHeaders = {},
): Promise<string> {
  const all = { ...TUS_HEADERS, 'upload-length': String(bytes), ...headers };
  const answer = await sendRequest(caller, 'POST', '/v1/uploads', undefined, all);
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return new URL(String(answer.headers.location)).pathname;
}

/** Sends a piece of an upload by hand. */
export function patchUpload(caller: TestClient, path: string, bytes: Buffer, offset = 0) {
  return sendRequest(caller, 'PATCH', path, bytes, {
    ...TUS_PATCH_HEADERS,
    'upload-offset': String(offset),
  });
}

/** Asks how far an upload is. */
export function headUpload(caller: TestClient, path: string) {
  return sendRequest(caller, 'HEAD', path, undefined, TUS_HEADERS);
}

/** What lies in the folder of uploads: `bytes` for a file on its way, `note` for what is known of one. */
export async function listUploadDirectory({
  dataDirectory,
}: Pick<TestServer, 'dataDirectory'>): Promise<string[]> {
  const names = await readdir(join(dataDirectory, 'uploads'));
  return names
    .map((name) => name.replace(/^[0-9a-f]{32}$/, 'bytes').replace(/^.{32}\.json$/, 'note'))
    .sort();
}

type InjectedResponse = Awaited<ReturnType<typeof sendRequest>>;

/** Is it that problem, told as the API tells problems and tus tells its version? */
export function assertTusProblem(answer: InjectedResponse, status: number, code: string): void {
  assert.equal(answer.statusCode, status, answer.body);
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
  if (answer.body !== '') assert.equal(answer.json().code, code);
  assert.equal(answer.headers['tus-resumable'], '1.0.0');
  assert.equal(answer.headers['tus-version'], '1.0.0');
}
