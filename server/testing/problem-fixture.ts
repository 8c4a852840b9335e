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
import { GLB_HEADERS, issueToken, SHOP_ORIGIN, sendRequest, uploadTestDesign } from './requests.ts';

const IFRAME_HEADERS = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };

/** The response to a request over the network, over a TCP connection, or injected. */
export type ReceivedResponse = { status: number; type: string | undefined; body: string };

/** A listening service with a design and an embed token. */
export type ProblemFixture = {
  service: TestServer;
  design: Design;
  embedToken: CreatedToken;
  /** Sends a request over the network. Objects are sent as JSON, text and bytes unchanged. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: RequestHeaders,
  ): Promise<ReceivedResponse>;
  /** Requests the framed document. */
  getFramedDocument(token: string, headers?: RequestHeaders): Promise<ReceivedResponse>;
  /** Sends bytes over a TCP connection. */
  sendRaw(bytes: string): Promise<ReceivedResponse>;
};

/** Request headers by name. */
export type RequestHeaders = Record<string, string>;

/** Opens a service with a design and an embed token. */
export async function openProblemFixture(
  t: TestContext,
  options: TestServerOptions = {},
): Promise<ProblemFixture> {
  const service = await openTestServer(t, { listen: true, ...options });
  const { host, port } = new URL(service.origin);

  const call: ProblemFixture['call'] = async (method, path, body, headers = {}) => {
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
  // Blob stores of tests block or fail, so no design can be uploaded.
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
  async run(_directory, { signal }) {
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    throw new Error('Aborted.');
  },
};

/** Requests the framed document of a design that `modelProcessor` processes. */
export async function getFramedDocumentWithProcessor(
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
