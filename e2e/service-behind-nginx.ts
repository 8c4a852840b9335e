import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findFreePort } from '../scripts/find-free-port.ts';
import { startNginx } from '../scripts/nginx.ts';
import { readViewerBuild } from '../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServerOptions } from '../server/testing/harness.ts';
import { issueToken, uploadTestDesign } from '../server/testing/requests.ts';
import { TestSites } from './test-sites.ts';

const SCALE_GUIDE = join(import.meta.dirname, '../docs/scale.md');
const VIEWER_DIST = join(import.meta.dirname, '../viewer/dist');
/** The lifetime of a ticket. */
export const TICKET_MS = 60 * 60 * 1000;

type NginxResponse = { status: number; headers: Record<string, unknown>; body: Buffer };

/** The configuration of nginx in the guide. */
async function readConfiguration(): Promise<string> {
  const guide = await readFile(SCALE_GUIDE, 'utf8');
  return /```nginx\n(.*?)```/s.exec(guide)?.[1] ?? assert.fail('The guide has no configuration.');
}

/** A service behind nginx, with a design and a token for `shop.test`. The design is the uploaded file, unless `processing` is given. */
export async function openServiceBehindNginx(
  t: TestContext,
  options: Pick<TestServerOptions, 'processing' | 'maxUploadBytes'> = {},
) {
  const [publicPort, cdnPort] = [await findFreePort(), await findFreePort()];
  const publicHost = `cloche.test:${publicPort}`;
  const service = await openTestServer(t, {
    listen: true,
    publicUrl: `http://${publicHost}`,
    cdn: { origin: `http://cdn.test:${cdnPort}`, ticketMs: TICKET_MS },
    ...options,
    viewer: await readViewerBuild(VIEWER_DIST),
  });
  const nodePort = Number(new URL(service.origin).port);
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const configuration = await readConfiguration();
  const nodePorts = [nodePort, nodePort] as const;
  const nginx = await startNginx({ folder, configuration, publicHost, cdnPort, nodePorts });
  t.after(() => nginx[Symbol.asyncDispose]());

  const sites = await TestSites.open(t);
  const shop = sites.getOrigin('shop.test');
  const client = { app: service.app, token: service.token, origin: `http://${publicHost}` };
  const box = makeBox({ name: 'chair' });
  const design = await uploadTestDesign(client, 'chair', box);
  const issued = await issueToken(client, { origins: [shop] });

  /** Requests a path through nginx. `fetch` cannot send all headers. */
  const get = (
    url: string,
    headers: Record<string, string> = {},
    { port = cdnPort, path }: { port?: number; path?: string } = {},
  ) =>
    new Promise<NginxResponse>((resolve, reject) => {
      const parsed = new URL(url, 'http://cdn.test');
      const host = port === publicPort ? publicHost : `cdn.test:${cdnPort}`;
      request({
        host: '127.0.0.1',
        port,
        path: path ?? parsed.pathname + parsed.search,
        headers: { host, ...headers },
        agent: false,
      })
        .once('response', async (response) => {
          const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>);
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, body: Buffer.concat(chunks) });
        })
        .once('error', reject)
        .end();
    });
  const getDocument = (id = design.id) =>
    get(
      `/embed/iframe/v1/${id}?token=${issued.token}`,
      { 'sec-fetch-dest': 'iframe', referer: `${shop}/` },
      { port: publicPort },
    );
  const openDocument = async (id?: string) => {
    const { body } = await getDocument(id);
    const [, json = ''] =
      /id="viewer-config">(.*?)<\/script>/.exec(body.toString()) ?? assert.fail(body.toString());
    return JSON.parse(json) as ViewerConfig;
  };
  return {
    service,
    client,
    nginx,
    sites,
    shop,
    box,
    design,
    issued,
    publicPort,
    folder,
    get,
    getDocument,
    openDocument,
  };
}
