import assert from 'node:assert/strict';
import type { Service } from './harness.ts';
import { ask, issue, SHOP } from './requests.ts';

export const GLB = { 'content-type': 'model/gltf-binary' };

/** A design, as its owner sees it. */
export const read = async (service: Service, id: string) =>
  (await ask(service, 'GET', `/v1/designs/${id}`)).json();

/** Sends the next model of a design, and waits until it is ready. */
export const replace = (service: Service, id: string, bytes: Buffer, headers = {}) =>
  ask(service, 'PUT', `/v1/designs/${id}/model`, bytes, { ...GLB, ...headers });

/** What the framed document of a design loads. */
export async function shown(service: Service, id: string) {
  const { token } = await issue(service);
  const answer = await service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: {
      host: new URL(service.origin).host,
      'sec-fetch-dest': 'iframe',
      referer: `${SHOP}/`,
    },
  });
  const framed = /id="framed">(.*?)<\/script>/.exec(answer.body)?.[1];
  return { answer, model: framed && JSON.parse(framed).model };
}

/** What the events of a design tell until they end. */
export async function events(
  service: Service,
  id: string,
): Promise<[name: string, data: object][]> {
  const answer = await ask(service, 'GET', `/v1/designs/${id}/events`);
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  return [...answer.body.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => [
    name as string,
    JSON.parse(data as string),
  ]);
}
