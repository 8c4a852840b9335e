import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { CreatedToken } from '@cloche/contract/token';
import type { ModelProcessor } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTestServer, type TestServer, type TestServerOptions } from './harness.ts';
import { RawConnection } from './raw-connection.ts';
import { issueToken, SHOP_ORIGIN, sendRequest, uploadTestDesign } from './requests.ts';

/** Headers of an upload of a GLB. */
export const GLB_HEADERS = { 'content-type': 'model/gltf-binary' };
const IFRAME_HEADERS = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };

/** A response to any kind of request. */
export type ReceivedResponse = { status: number; type: string | undefined; body: string };

/** A listening service with a design and an embed token. */
export type Fixture = {
  service: TestServer;
  design: Design;
  embedToken: CreatedToken;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: RequestHeaders,
  ): Promise<ReceivedResponse>;
  /** Requests the framed document. */
  getFramedDocument(token: string, headers?: RequestHeaders): Promise<ReceivedResponse>;
  sendRaw(bytes: string): Promise<ReceivedResponse>;
};

/** Request headers by name. */
export type RequestHeaders = Record<string, string>;

/** Opens a service with a design and an embed token. */
export async function openFixture(
  t: TestContext,
  options: TestServerOptions = {},
): Promise<Fixture> {
  const service = await openTestServer(t, { listen: true, ...options });
  const { host, port } = new URL(service.origin);

  const call: Fixture['call'] = async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const authorization = `Bearer ${service.token}`;
    const allHeaders = { host, authorization, ...type, ...headers };
    const clientRequest = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: allHeaders,
      agent: false,
    });
    clientRequest.end(isRaw ? body : JSON.stringify(body));
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      clientRequest.once('response', resolve).once('error', reject),
    );
    const { statusCode: status = 0, headers: responseHeaders } = response;
    return { status, type: responseHeaders['content-type'], body: await text(response) };
  };
  const design = options.blobs ? ({} as Design) : await uploadTestDesign(service);
  return {
    service,
    design,
    embedToken: await issueToken(service),
    call,
    getFramedDocument(token, headers = IFRAME_HEADERS) {
      const allHeaders = { authorization: '', accept: 'application/json', ...headers };
      return call('GET', `/embed/iframe/v1/${design.id}?token=${token}`, undefined, allHeaders);
    },
    async sendRaw(bytes) {
      const response = await (await RawConnection.open(t, service)).write(bytes).readResponse();
      const { status = 0, headers, body = '' } = response ?? {};
      return { status, type: headers?.['content-type'], body };
    },
  };
}

/** Rejects every file. */
export const failingProcessor: ModelProcessor = {
  run: async () => ({ ok: false, code: 'design.failed', detail: 'Failed.', retryable: false }),
};

/** Runs until it is aborted. */
export const hangingProcessor: ModelProcessor = {
  async run(_folder, { signal }) {
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    throw new Error('Aborted.');
  },
};

/** Headers of a tus PATCH request. */
export const PATCH_HEADERS = {
  'tus-resumable': '1.0.0',
  'content-type': 'application/offset+octet-stream',
};

/** Creates an upload of 8 bytes. Returns its path. */
export async function createUpload({ service }: Fixture): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '8' };
  const response = await sendRequest(service, 'POST', '/v1/uploads', undefined, headers);
  return new URL(String(response.headers.location)).pathname;
}

/** Sends four bytes of an upload. */
export function patchUpload(
  { call }: Fixture,
  path: string,
  offset: number,
): Promise<ReceivedResponse> {
  return call('PATCH', path, Buffer.from('glTF'), {
    ...PATCH_HEADERS,
    'upload-offset': String(offset),
  });
}

/** Requests the framed document of a design that `modelProcessor` processes. */
export async function getFramedDocument(
  t: TestContext,
  modelProcessor: ModelProcessor,
): Promise<ReceivedResponse> {
  const service = await openTestServer(t, { processing: { modelProcessor } });
  const wait = { ...GLB_HEADERS, prefer: modelProcessor === failingProcessor ? 'wait=60' : '' };
  const design = (await sendRequest(service, 'POST', '/v1/designs', makeBox(), wait)).json();
  const { token } = await issueToken(service);
  const url = `/embed/iframe/v1/${design.id}?token=${token}`;
  const headers = { ...IFRAME_HEADERS, authorization: '', accept: 'application/json' };
  return toReceivedResponse(await sendRequest(service, 'GET', url, undefined, headers));
}

/** Converts the response to an injected request. */
export const toReceivedResponse = ({
  statusCode,
  headers,
  body,
}: Awaited<ReturnType<typeof sendRequest>>): ReceivedResponse => ({
  status: statusCode,
  type: headers['content-type'] as string,
  body,
});
