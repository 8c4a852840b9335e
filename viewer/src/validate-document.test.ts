import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { validateDocument } from './validate-document.ts';

/** A document, from the cache or not, and what the service answers. */
function openDocument(t: TestContext, { isCached = true, answer }: Options) {
  const requests: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: string, { headers }: RequestInit) => {
    requests.push(`${url} ${JSON.stringify(headers)}`);
    if (answer === undefined) throw new TypeError('no connection');
    return answer;
  });
  const dataset: Record<string, string> = isCached ? { cached: 'navigate' } : {};
  const root = { dataset } as never as HTMLElement;
  const address = { pathname: '/embed/iframe/v1/id', search: '?token=t&theme=dark' } as Location;
  const config = { grant: 'old', version: 'v1' } as ViewerConfig;
  return { requests, dataset, config, validated: validateDocument(config, root, address) };
}

type Options = { isCached?: boolean; answer?: Response };

describe('validateDocument', () => {
  it('requests nothing if the document is not from the cache', async (t) => {
    const { requests, validated } = openDocument(t, { isCached: false });
    assert.equal(await validated, true);
    assert.deepEqual(requests, []);
  });

  it('shows a document that the service would send again, and takes its new grant', async (t) => {
    const answer = Response.json({ grant: 'new' });
    const { requests, dataset, config, validated } = openDocument(t, { answer });
    assert.equal(dataset.cached, 'navigate');
    assert.equal(await validated, true);
    const url = '/embed/iframe/v1/id/v1?token=t&theme=dark';
    assert.deepEqual(requests, [`${url} {"cloche-grant":"old"}`]);
    assert.deepEqual(dataset, {});
    assert.equal(config.grant, 'new');
  });

  const answers: [string, Response | undefined][] = [
    ['a refusal', Response.json({ code: 'token.revoked' }, { status: 401 })],
    ['a response that is not JSON', new Response('<p>Log in</p>')],
    ['no connection', undefined],
  ];
  for (const [name, answer] of answers) {
    it(`does not show it after ${name}`, async (t) => {
      const { dataset, validated } = openDocument(t, answer ? { answer } : {});
      assert.equal(await validated, false);
      assert.equal(dataset.cached, 'navigate');
    });
  }
});
