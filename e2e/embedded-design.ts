/** A service, one design, and the HTML that embeds it, for tests of what visitors see. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../scripts/wait-until.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { readSdkBuild } from '../server/src/sdk/sdk-build.ts';
import { openTestServer, type TestServerOptions } from '../server/testing/harness.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';
import { UnreliableProxy } from './unreliable-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const SDK_DIST = join(import.meta.dirname, '../sdk/dist');

export type EmbeddedDesign = Awaited<ReturnType<typeof openEmbeddedDesign>>;

type EmbeddedDesignOptions = Pick<TestServerOptions, 'processing' | 'pageFetching'> & {
  /** The service and the sites use https. */
  secure?: boolean;
  model?: Uint8Array;
  name?: string;
  /** By default, unless the processing is one of the test itself, which may never end. */
  waitsUntilReady?: boolean;
};

/** Opens a service with one design and a token for `shop.test`. Browsers reach it through an unreliable proxy. */
export async function openEmbeddedDesign(
  t: TestContext,
  {
    secure = false,
    model = makeBox(),
    name = 'Oak chair',
    processing,
    pageFetching,
    waitsUntilReady = processing === undefined,
  }: EmbeddedDesignOptions = {},
) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const proxy = await UnreliableProxy.open(t);
  tls.setTarget(proxy.port);
  const origin = secure ? `https://cloche.test:${tls.port}` : `http://cloche.test:${proxy.port}`;
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    sdk: await readSdkBuild(SDK_DIST),
    publicUrl: origin,
    ...(processing && { processing }),
    ...(pageFetching && { pageFetching }),
  });
  proxy.setTarget(Number(new URL(service.origin).port));

  /** Sends a request with the bootstrap token. */
  const send = async (
    method: 'POST' | 'PATCH' | 'DELETE' | 'GET',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) => {
    const response = await service.app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${service.token}`,
        host: new URL(origin).host,
        ...(payload && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload && { payload }),
    });
    assert.ok(response.statusCode < 300, response.body);
    return response;
  };

  const design = (
    await send('POST', `/v1/designs?name=${encodeURIComponent(name)}`, Buffer.from(model), {
      'content-type': 'model/gltf-binary',
      prefer: 'wait=60',
    })
  ).json() as { id: string; uri: string };
  // A slow machine needs longer than the request waits.
  if (waitsUntilReady) {
    const isReady = async () =>
      (await send('GET', `/v1/designs/${design.id}`)).json().status === 'ready';
    await waitUntil('the design is ready', isReady, { timeoutMs: 240_000 });
  }
  const origins = [sites.getOrigin('shop.test')];
  const request = { capabilities: ['embed'], origins, type: 'api', user: '~' };
  const token = (await send('POST', '/v1/tokens', request)).json() as { id: string; token: string };
  const snippet = await send('POST', '/embed/iframe/v1', { uri: design.uri });
  const html = snippet.body.replace('CLOCHE_EMBED_TOKEN', token.token);
  return { service, proxy, sites, origin, certificate, send, design, token, html };
}
