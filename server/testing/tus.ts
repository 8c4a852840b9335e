import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultHttpStack, type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { Service } from './harness.ts';
import { describeBox, makeGlb } from './models.ts';
import { ask, type Caller } from './requests.ts';

type Headers = Record<string, string>;

export const TUS = { 'tus-resumable': '1.0.0' };
export const PIECE = { ...TUS, 'content-type': 'application/offset+octet-stream' };

/** How an upload by a tus client went. */
export type Sent = {
  url: string;
  /** What the header Cloche-Design of the last answer said. */
  design: string | undefined;
  /** The methods it used, in order, with the status of each answer. */
  said: string[];
  error: DetailedError | undefined;
};

/** Sends bytes with tus-js-client, to a service or to the address of a line to one. */
export function send(
  { origin, token }: Pick<Service, 'origin' | 'token'>,
  bytes: Buffer,
  options: UploadOptions = {},
): Promise<Sent> {
  const said: string[] = [];
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const upload = new Upload(bytes, {
    endpoint: `${origin}/v1/uploads`,
    headers: { authorization: `Bearer ${token}` },
    httpStack: new DefaultHttpStack({ lookup: toLoopback }),
    retryDelays: [20, 50, 100, 200, 400, 800, 1600],
    onAfterResponse: (request, response) => {
      said.push(`${request.getMethod()} ${response.getStatus()}`);
    },
    onSuccess: ({ lastResponse }) => end(undefined, lastResponse.getHeader('cloche-design')),
    onError: (error) => end(error as DetailedError),
    ...options,
  });
  const end = (error: DetailedError | undefined, design?: string) =>
    resolve({ url: upload.url ?? '', design, said, error });
  upload.start();
  return promise;
}

// http asks for all addresses of a name, or for one.
function toLoopback(
  _name: string,
  { all }: { all?: boolean },
  tell: (...given: unknown[]) => void,
) {
  if (all) tell(null, [{ address: '127.0.0.1', family: 4 }]);
  else tell(null, '127.0.0.1', 4);
}

/** A GLB of about so many bytes, most of which nothing shows. */
export function makeLarge(bytes: number, name = 'Large'): Buffer {
  const { json, bin } = describeBox({ name });
  const large = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 4) large.writeUInt32LE((at * 2654435761) >>> 0, at - (at % 4));
  bin.copy(large);
  return makeGlb({ json: { ...json, buffers: [{ byteLength: bytes }] }, bin: large });
}

/** `Upload-Metadata` of some pairs. */
export function metadata(pairs: Headers): Headers {
  const texts = Object.entries(pairs).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  return { 'upload-metadata': texts.join(',') };
}

/** Begins an upload by hand. Answers its path. */
export async function begin(caller: Caller, bytes: number, headers: Headers = {}): Promise<string> {
  const all = { ...TUS, 'upload-length': String(bytes), ...headers };
  const answer = await ask(caller, 'POST', '/v1/uploads', undefined, all);
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return new URL(String(answer.headers.location)).pathname;
}

/** Sends a piece of an upload by hand. */
export function piece(caller: Caller, path: string, bytes: Buffer, offset = 0) {
  return ask(caller, 'PATCH', path, bytes, { ...PIECE, 'upload-offset': String(offset) });
}

/** Asks how far an upload is. */
export function look(caller: Caller, path: string) {
  return ask(caller, 'HEAD', path, undefined, TUS);
}

/** What lies in the folder of uploads: `bytes` for a file on its way, `note` for what is known of one. */
export async function kept({ folder }: Pick<Service, 'folder'>): Promise<string[]> {
  const names = await readdir(join(folder, 'uploads'));
  return names
    .map((name) => name.replace(/^[0-9a-f]{32}$/, 'bytes').replace(/^.{32}\.json$/, 'note'))
    .sort();
}

type Answer = Awaited<ReturnType<typeof ask>>;

/** Is it that problem, told as the API tells problems and tus tells its version? */
export function assertProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.statusCode, status, answer.body);
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
  if (answer.body !== '') assert.equal(answer.json().code, code);
  assert.equal(answer.headers['tus-resumable'], '1.0.0');
  assert.equal(answer.headers['tus-version'], '1.0.0');
}
