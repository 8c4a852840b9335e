import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { revalidateDocument } from './revalidate-document.ts';

type Options = { isCached?: boolean; answer?: Response };

/** A document, from the cache or not, and what the service answers. */
function openDocument(t: TestContext, { isCached = true, answer }: Options) {
  const requests: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { headers, signal }: RequestInit) => {
    requests.push(`${url} ${JSON.stringify(headers)}`);
    assert.ok(signal, 'it ends');
    if (answer === undefined) throw new TypeError('no connection');
    return answer;
  });
  const dataset: Record<string, string> = isCached ? { cached: '' } : {};
  const root = { dataset } as never as HTMLElement;
  const address = { pathname: '/embed/iframe/v1/id', search: '?token=t&theme=dark' } as Location;
  const config = { grant: 'old', documentVersion: 'v1' } as never as ViewerConfig;
  return { requests, dataset, config, isShown: revalidateDocument(config, root, address) };
}

describe('revalidateDocument', () => {
  it('requests nothing if the service has just sent the document', async (t) => {
    const { requests, isShown } = openDocument(t, { isCached: false });
    assert.equal(await isShown, true);
    assert.deepEqual(requests, []);
  });

  it('shows a document that the service would send again, and takes its new grant', async (t) => {
    const answer = Response.json({ grant: 'new' });
    const { requests, dataset, config, isShown } = openDocument(t, { answer });
    assert.deepEqual(dataset, { cached: '' });
    assert.equal(await isShown, true);
    const url = '/embed/iframe/v1/id/v1?token=t&theme=dark';
    assert.deepEqual(requests, [`${url} {"cloche-grant":"old"}`]);
    assert.deepEqual(dataset, {});
    assert.equal(config.grant, 'new');
  });

  const answers: [string, Response | undefined][] = [
    ['a refusal', Response.json({ code: 'token.revoked' }, { status: 401 })],
    ['a refusal without a code', Response.json({ code: 0 })],
    ['a response of something else', new Response('<p>Log in</p>')],
    ['no connection', undefined],
  ];
  for (const [name, answer] of answers) {
    it(`does not show it after ${name}`, async (t) => {
      const { dataset, isShown, config } = openDocument(t, answer ? { answer } : {});
      assert.equal(await isShown, false);
      assert.deepEqual(dataset, { cached: '' });
      assert.equal(config.grant, 'old');
    });
  }
});
