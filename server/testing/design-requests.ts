import assert from 'node:assert/strict';
import type { TestServer } from './harness.ts';
import { issueToken, SHOP_ORIGIN, sendRequest } from './requests.ts';

export const GLB_CONTENT_TYPE = { 'content-type': 'model/gltf-binary' };

/** A design, as its owner sees it. */
export const fetchDesign = async (service: TestServer, id: string) =>
  (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();

/** Sends the next model of a design, and waits until it is ready. */
export const uploadRevision = (service: TestServer, id: string, bytes: Buffer, headers = {}) =>
  sendRequest(service, 'PUT', `/v1/designs/${id}/model`, bytes, {
    ...GLB_CONTENT_TYPE,
    ...headers,
  });

/** What the framed document of a design loads. */
export async function fetchFramedDocument(service: TestServer, id: string) {
  const { token } = await issueToken(service);
  const answer = await service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: {
      host: new URL(service.origin).host,
      'sec-fetch-dest': 'iframe',
      referer: `${SHOP_ORIGIN}/`,
    },
  });
  const framed = /id="framed">(.*?)<\/script>/.exec(answer.body)?.[1];
  return { answer, model: framed && JSON.parse(framed).model };
}

/** What the events of a design tell until they end. */
export async function fetchDesignEvents(
  service: TestServer,
  id: string,
): Promise<[name: string, data: object][]> {
  const answer = await sendRequest(service, 'GET', `/v1/designs/${id}/events`);
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  return [...answer.body.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => [
    name as string,
    JSON.parse(data as string),
  ]);
}
