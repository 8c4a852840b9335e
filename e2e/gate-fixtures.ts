import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { CapturedPoster } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServer } from '../server/testing/harness.ts';
import type { GateFixtures, HttpOriginTokens } from './gate-cases.ts';
import { TestSites } from './test-sites.ts';
import { makeCertificate, openTlsProxy } from './tls-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
const HOUR_MS = 3_600_000;

/** Opens the service and web sites, and creates a design and tokens. `secure`: all over https. */
export async function openGateFixtures(t: TestContext, { secure }: { secure: boolean }) {
  const certificate = await makeCertificate();
  const sites = await TestSites.open(t, secure ? certificate : undefined);
  const otherSites = await TestSites.open(t, secure ? certificate : undefined);
  const tls = await openTlsProxy(t, certificate);
  const service = await openTestServer(t, {
    listen: true,
    viewer: await readViewerBuild(VIEWER_DIST),
    processing: { posterRenderer: { render: renderCyanPoster } },
    ...(secure && { publicUrl: `https://cloche.test:${tls.port}` }),
  });
  const plainPort = Number(new URL(service.origin).port);
  tls.setTarget(plainPort);
  const publicUrl = secure ? `https://cloche.test:${tls.port}` : service.origin;
  const host = new URL(publicUrl).host;

  const fixtures: GateFixtures = {
    sites,
    otherPortSites: otherSites,
    serviceOrigin: publicUrl,
    ...(await createDesignAndTokens(service, sites, host)),
  };
  const referer = `${sites.getOrigin('shop.test')}/`;
  const proxyOptions = {
    servicePort: plainPort,
    serviceHost: host,
    token: fixtures.tokens.good,
    referer,
  };
  return { fixtures, certificate, proxyOptions };
}

/** Its posters have another color than the model, so that a screenshot tells them apart. */
async function renderCyanPoster(): Promise<CapturedPoster> {
  const sizes = [
    { kind: 'poster', width: 640, height: 480 },
    { kind: 'poster-inline', width: 240, height: 180 },
  ] as const;
  const images = sizes.map(async ({ kind, width, height }) => {
    const create = { width, height, channels: 4, background: '#00ffff' } as const;
    return { kind, width, height, bytes: await sharp({ create }).webp().toBuffer() };
  });
  return {
    images: await Promise.all(images),
    placeholder: { background: '#dfe2e7' },
    hasOneColor: false,
  };
}

/** Creates a magenta design with cyan posters, and tokens in every state. */
async function createDesignAndTokens(service: TestServer, sites: TestSites, host: string) {
  const { app } = service;
  const headers = { authorization: `Bearer ${service.token}`, host };
  const design = await app.inject({
    method: 'POST',
    url: '/v1/designs?name=Magenta',
    headers: { ...headers, 'content-type': 'model/gltf-binary', prefer: 'wait=60' },
    payload: makeBox({ color: [1, 0, 1], unlit: true }),
  });
  assert.equal(design.statusCode, 201, design.body);
  const issueToken = async (overrides: object = {}) => {
    const origins = [sites.getOrigin('shop.test'), sites.getOrigin('*.wild.test')];
    const payload = { capabilities: ['embed'], origins, type: 'api', user: '~', ...overrides };
    const response = await app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
    assert.equal(response.statusCode, 201, response.body);
    return response.json() as { id: string; token: string };
  };
  const expired = await issueToken({ expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
  service.advanceTime(2 * HOUR_MS);
  const revoked = await issueToken();
  await app.inject({ method: 'DELETE', url: `/v1/tokens/${revoked.id}`, headers });
  const good = await issueToken();
  return {
    designId: design.json().id as string,
    tokens: {
      good: good.token,
      expired: expired.token,
      revoked: revoked.token,
      secret: service.token,
      ...(await issueHttpOriginTokens(
        sites,
        async (origins) => (await issueToken({ origins })).token,
      )),
    },
  };
}

async function issueHttpOriginTokens(
  sites: TestSites,
  issueToken: (origins: string[]) => Promise<string>,
): Promise<HttpOriginTokens> {
  const https = (name: string) => sites.getOrigin(name);
  const http = (name: string) => https(name).replace('https:', 'http:');
  return {
    httpShop: await issueToken([http('shop.test')]),
    httpShopAndHttpsOther: await issueToken([http('shop.test'), https('other.test')]),
    httpLocalhost: await issueToken(['http://localhost:*']),
    httpsShopAndHttpEvil: await issueToken([https('shop.test'), http('evil.test')]),
  };
}
