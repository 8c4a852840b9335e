import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import { ViewerError } from '../viewer-error.ts';
import { renewTicket } from './renew-ticket.ts';

const [OLD, NEW] = ['?ticket=1.old', '?ticket=2.new'];
const toFile = (name: string) => ({ url: `https://cdn.test/${name}${NEW}`, bytes: 1 });

function mockResponse(t: TestContext, response: Response) {
  const requests: [url: string, headers: unknown][] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { headers }: RequestInit) => {
    requests.push([url, headers]);
    return response;
  });
  return requests;
}

const renew = (name: string) =>
  renewTicket(`https://cdn.test/${name}${OLD}`, 'a-grant', new AbortController().signal);

it('a file gets the ticket that a new document would have', async (t) => {
  for (const name of ['model.glb', 'geometry.glb', 'textures.glb']) {
    const requests = mockResponse(
      t,
      Response.json({
        model: toFile('model.glb'),
        levels: {
          geometries: [{ ...toFile('geometry.glb'), triangles: 1 }],
          textures: [{ ...toFile('textures.glb'), size: 512 }],
        },
      }),
    );
    assert.equal(await renew(name), `https://cdn.test/${name}${NEW}`);
    assert.deepEqual(requests, [['/embed/model', { [GRANT_HEADER]: 'a-grant' }]]);
  }
});

it('there is none for another file, or if the service refuses it', async (t) => {
  mockResponse(t, Response.json({ model: toFile('other.glb') }));
  await assert.rejects(renew('model.glb'), /other files/);
  mockResponse(t, new Response(null, { status: 403 }));
  await assert.rejects(renew('model.glb'), ViewerError);
});
