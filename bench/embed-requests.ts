import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Design } from '@cloche/contract/design';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import type { DemoService } from '../demo/demo-service.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import type { RepeatedRequest } from './request-rate.ts';

const PAGE_ORIGIN = 'https://shop.example';
/** Generous: a busy machine takes many times as long. */
const PROCESSING_TIMEOUT_MS = 600_000;

/**
 * Creates a design from a file, and a token, and returns the requests for its snippet, its framed document and
 * its model. They are sent to `origin` with the `host` of the service.
 *
 * @throws if the file cannot be processed
 */
export async function createRequests(origin: string, service: DemoService, model: Buffer) {
  const { host } = new URL(service.origin);
  const authorization = `Bearer ${service.token}`;
  const json = { host, authorization, 'content-type': 'application/json' };
  const file = { ...json, 'content-type': 'model/gltf-binary', prefer: 'wait=60' };
  const post = async (path: string, headers: Record<string, string>, body: string | Buffer) =>
    JSON.parse(
      (await sendRequest(origin, { path, method: 'POST', headers }, body)).body.toString(),
    );

  const { id, uri } = await post('/v1/designs', file, model);
  await waitUntilReady(origin, { path: `/v1/designs/${id}`, method: 'GET', headers: json });
  const tokenRequest = { capabilities: ['embed'], origins: [PAGE_ORIGIN], type: 'api', user: '~' };
  const issued = await post('/v1/tokens', json, JSON.stringify(tokenRequest));
  const document: RepeatedRequest = {
    path: `/embed/iframe/v1/${id}?token=${issued.token}`,
    method: 'GET',
    headers: { host, referer: `${PAGE_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  };
  const html = (await sendRequest(origin, document)).body.toString();
  const config: ViewerConfig = JSON.parse(
    /id="viewer-config">(.*?)<\/script>/.exec(html)?.[1] ?? '{}',
  );
  const headers = { host, [GRANT_HEADER]: config.grant };
  const body = JSON.stringify({ uri });
  return {
    snippet: {
      label: 'POST /embed/iframe/v1',
      target: { path: '/embed/iframe/v1', method: 'POST', headers: json, body },
    },
    document: { label: 'the framed document', target: document },
    asset: { label: 'an asset', target: { path: config.model.url, method: 'GET', headers } },
  };
}

async function waitUntilReady(origin: string, request: RepeatedRequest): Promise<void> {
  let status = '';
  const isReady = async () => {
    const { body } = await sendRequest(origin, request);
    const design = JSON.parse(body.toString()) as Design;
    if (['failed', 'cancelled'].includes(design.status))
      throw new Error(`The file was not processed: ${JSON.stringify(design)}`);
    status = design.status;
    return status === 'ready';
  };
  await waitUntil(() => `the design to be ready: ${status}`, isReady, {
    timeoutMs: PROCESSING_TIMEOUT_MS,
  });
}

/** Uses node:http, because `fetch` does not send a Referer header. */
export async function sendRequest(
  origin: string,
  { path, method, headers }: RepeatedRequest,
  body?: string | Buffer,
) {
  const outgoing = request(origin + path, { method, headers }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${path}: ${bytes}`);
  return { headers: response.headers, body: bytes };
}
