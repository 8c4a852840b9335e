import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import type { Page } from 'playwright-core';
import type { Upload, UploadOptions } from 'tus-js-client';
import { openTestServer } from '../server/testing/harness.ts';
import { openSharedChromium } from './shared-chromium.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';

const TUS_FOLDER = dirname(createRequire(import.meta.url).resolve('tus-js-client/package.json'));
const TUS_SCRIPT = join(TUS_FOLDER, 'dist/tus.min.js');

declare const tus: { Upload: new (file: Blob, options: UploadOptions) => Upload };

/** What the scripts in the page get. */
type Input = { api: string; token: string; file: number[] };

describe('a token with origins, in scripts of pages', { concurrency: 1 }, () => {
  for (const secure of [true, false]) {
    const scheme = secure ? 'https' : 'plain http';

    it(`a listed page can use the API, over ${scheme}`, async (t) => {
      const { openPage, input } = await setUp(t, { secure });
      const page = await openPage('shop.test');
      const created = await page.evaluate(createAndRead, input);
      assert.deepEqual(created, {
        statuses: [201, 200, 200, 200, 200],
        title: 'Chair',
        location: `/v1/designs/${created.id}`,
        etag: created.sha256,
        firstEvent: 'event: design',
        unknown: [404, 'design.unknown'],
        id: created.id,
        sha256: created.sha256,
      });
      const uploaded = await page.evaluate(uploadInPieces, input);
      assert.match(uploaded.designUri ?? '', /^cloche:design:/);
      assert.deepEqual(uploaded.methods, ['POST', 'PATCH', 'HEAD', 'PATCH', 'PATCH']);
      assert.deepEqual(await page.evaluate(terminateUpload, input), ['POST 201', 'DELETE 204']);
    });

    it(`another page can only read the problem, over ${scheme}`, async (t) => {
      const { openPage, input } = await setUp(t, { secure });
      for (const site of ['evil.test', 'www.shop.test']) {
        const page = await openPage(site);
        const responses = await page.evaluate(sendEverything, input);
        assert.ok(responses.length >= 8);
        for (const { status, code, text } of responses) {
          assert.deepEqual([status, code], [403, 'token.origin']);
          assert.ok(!text.includes('://shop.test') && !text.includes('Chair'), text);
        }
        const upload = await page.evaluate(uploadInPieces, input);
        assert.match(upload.error ?? '', /"code":"token\.origin"/);
        assert.deepEqual(upload.methods, ['POST']);
      }
    });

    it(`a page of the service can use a token that lists it, over ${scheme}`, async (t) => {
      const { openOwnPage, input, ownToken } = await setUp(t, { secure });
      const page = await openOwnPage();
      const created = await page.evaluate(createAndRead, { ...input, token: ownToken });
      assert.deepEqual(created.statuses, [201, 200, 200, 200, 200]);
      if (!secure) return;
      // Over plain http, a GET request of such a page looks like that of a server.
      const responses = await page.evaluate(sendEverything, input);
      for (const { status, code } of responses)
        assert.deepEqual([status, code], [403, 'token.origin']);
    });
  }

  it('a request with cookies is never readable', async (t) => {
    const { openPage, input } = await setUp(t, { secure: true });
    const page = await openPage('shop.test');
    const outcome = await page.evaluate(
      ({ api, token }) =>
        fetch(`${api}/v1/designs`, {
          headers: { authorization: `Bearer ${token}` },
          credentials: 'include',
        }).then(
          () => 'readable',
          () => 'blocked',
        ),
      input,
    );
    assert.equal(outcome, 'blocked');
  });
});

async function setUp(t: TestContext, { secure }: { secure: boolean }) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const service = await openTestServer(t, {
    listen: true,
    ...(secure && { publicUrl: `https://cloche.test:${tls.port}` }),
  });
  tls.setTarget(Number(new URL(service.origin).port));
  const api = secure ? `https://cloche.test:${tls.port}` : service.origin;
  const { host } = new URL(api);
  const issueToken = async (origins: string[]) => {
    const payload = { capabilities: ['read', 'write', 'embed'], origins };
    const headers = { authorization: `Bearer ${service.token}`, host };
    const request = { method: 'POST', url: '/v1/tokens', headers } as const;
    const body = { ...payload, type: 'api', user: '~' };
    const response = await service.app.inject({ ...request, payload: body });
    assert.equal(response.statusCode, 201, response.body);
    return response.json().token as string;
  };
  const token = await issueToken([sites.getOrigin('shop.test')]);
  const ownToken = await issueToken([api]);
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const openPage = async (site: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(sites.addPage(site, '/app', 'A page'));
    await page.addScriptTag({ path: TUS_SCRIPT });
    return page;
  };
  const openOwnPage = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${api}/docs`);
    return page;
  };
  const input: Input = { api, token, file: [...makeBox()] };
  return { openPage, openOwnPage, input, ownToken };
}

// The functions below run in the page.

async function createAndRead({ api, token, file }: Input) {
  const send = (path: string, init: RequestInit = {}) =>
    fetch(api + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
  const created = await send('/v1/designs?name=Chair', {
    method: 'POST',
    headers: {
      'content-type': 'model/gltf-binary',
      'idempotency-key': '1',
      prefer: 'wait=60',
    },
    body: new Uint8Array(file),
  });
  const design = await created.json();
  const list = await send('/v1/designs?limit=1');
  const snippet = await send('/embed/iframe/v1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: design.uri }),
  });
  const html = await snippet.text();
  const model = await send(`/v1/designs/${design.id}/model`);
  const hash = await crypto.subtle?.digest('SHA-256', await model.arrayBuffer());
  const hex = hash && [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0'));
  const events = await send(`/v1/designs/${design.id}/events`);
  const firstEvent = (await events.text()).split('\n')[0];
  const unknown = await send(`/v1/designs/8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55`);
  const etag = model.headers.get('etag');
  return {
    statuses: [created, list, snippet, model, events].map(({ status }) => status),
    title: / title="([^"]*)"/.exec(html)?.[1],
    location: created.headers.get('location'),
    etag,
    firstEvent,
    unknown: [unknown.status, (await unknown.json()).code],
    id: design.id as string,
    // Over plain http, pages cannot compute it.
    sha256: hex ? `"${hex.join('')}"` : etag,
  };
}

/** Uploads the first bytes, pauses, and uploads the others with another tus client. */
async function uploadInPieces({ api, token, file }: Input) {
  const blob = new Blob([new Uint8Array(file)]);
  const methods: string[] = [];
  const start = (options: UploadOptions): Promise<{ upload: Upload; designUri?: string }> =>
    new Promise((resolve, reject) => {
      const upload = new tus.Upload(blob, {
        endpoint: `${api}/v1/uploads`,
        headers: { authorization: `Bearer ${token}` },
        metadata: { filename: 'chair.glb' },
        chunkSize: Math.ceil(file.length / 3),
        retryDelays: [],
        storeFingerprintForResuming: false,
        onAfterResponse: (request) => void methods.push(request.getMethod()),
        onSuccess: ({ lastResponse }) => {
          const designUri = lastResponse.getHeader('cloche-design');
          resolve({ upload, ...(designUri !== undefined && { designUri }) });
        },
        onError: reject,
        onChunkComplete: () => {
          if (options.uploadUrl != null) return;
          void upload.abort().then(() => resolve({ upload }));
        },
        ...options,
      });
      upload.start();
    });
  try {
    const { upload } = await start({});
    const { designUri } = await start({ uploadUrl: upload.url });
    return { designUri, methods };
  } catch (error) {
    return { methods, error: String(error) };
  }
}

async function terminateUpload({ api, token }: Input): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  const created = await fetch(`${api}/v1/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': '5' },
  });
  const url = created.headers.get('location') ?? '';
  const deleted = await fetch(url, { method: 'DELETE', headers });
  return [`POST ${created.status}`, `DELETE ${deleted.status}`];
}

async function sendEverything({ api, token }: Input) {
  const id = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', '/v1/designs'],
    ['GET', `/v1/designs/${id}`],
    ['GET', `/v1/designs/${id}/events`],
    ['GET', `/v1/designs/${id}/model`],
    ['DELETE', `/v1/designs/${id}`],
    ['PUT', `/v1/designs/${id}/model`],
    ['GET', '/v1/tokens'],
    ['POST', '/embed/iframe/v1', { uri: `cloche:design:${id}` }],
    ['PATCH', `/v1/uploads/${id}`],
  ];
  return Promise.all(
    requests.map(async ([method, path, body]) => {
      const response = await fetch(api + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, code: JSON.parse(text).code as string, text };
    }),
  );
}
