import assert from 'node:assert/strict';
import type { Design } from '@cloche/contract/design';
import { apiHeaders, type TestServer } from './harness.ts';
import { GLB_HEADERS, issueToken, SHOP_ORIGIN, sendRequest } from './requests.ts';

/** Reads a design with the API. */
export async function fetchDesign(service: TestServer, id: string): Promise<Design> {
  return (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
}

/** Uploads the next revision of a design, and waits until it is ready. */
export function uploadRevision(service: TestServer, id: string, bytes: Buffer, headers = {}) {
  return sendRequest(service, 'PUT', `/v1/designs/${id}/model`, bytes, {
    ...GLB_HEADERS,
    ...headers,
  });
}

/** Requests the framed document of a design. Returns its viewer config, and the `model` in it. */
export async function fetchFramedDocument(service: TestServer, id: string) {
  const { token } = await issueToken(service);
  const response = await service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: {
      host: new URL(service.origin).host,
      'sec-fetch-dest': 'iframe',
      referer: `${SHOP_ORIGIN}/`,
    },
  });
  const viewerConfig = parseViewerConfig(response.body);
  return { response, viewerConfig, model: viewerConfig?.model };
}

function parseViewerConfig(html: string) {
  const json = /id="viewer-config">(.*?)<\/script>/.exec(html)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

/**
 * Reads the event stream of a design until it ends.
 *
 * @param onText called with each part of the stream when it arrives
 */
export async function fetchDesignEvents(
  service: TestServer,
  id: string,
  onText: (text: string) => void = () => {},
): Promise<[name: string, data: object][]> {
  const response = await service.app.inject({
    url: `/v1/designs/${id}/events`,
    headers: { ...apiHeaders(service.token), host: new URL(service.origin).host },
    payloadAsStream: true,
  });
  assert.equal(response.headers['content-type'], 'text/event-stream');
  let body = '';
  for await (const chunk of response.stream()) {
    body += chunk;
    onText(String(chunk));
  }
  return [...body.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => [
    name as string,
    JSON.parse(data as string),
  ]);
}
