import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { CapturedPoster } from '@cloche/pipeline/poster/poster-renderer';
import { makeBox } from '@cloche/pipeline/testing/models';
import sharp from 'sharp';
import { readViewerBuild } from '../../server/src/embed/viewer-build.ts';
import { openTestServer, type TestServer } from '../../server/testing/harness.ts';
import { runInProcess } from '../../server/testing/run-cloche-server.ts';
import { type Certificate, openTlsProxy } from '../tls-proxy.ts';

const VIEWER_DIST = join(import.meta.dirname, '../../viewer/dist');

/** Texts that no unauthorized page may read or show: the name of the design, and its description. */
export const CANARIES = ['canary-name-5d1f7c20', 'canary-description-91be04aa'] as const;

/** How pages reach the service: over https, over http, and on a loopback host. */
export type ServiceAddress = 'https' | 'http' | 'localhost';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The service under test, at three addresses. The designs are magenta, and their posters cyan. */
export class GateService {
  readonly origins: Readonly<Record<ServiceAddress, string>>;
  readonly #server: TestServer;
  #designCount = 0;

  private constructor(server: TestServer, origins: Record<ServiceAddress, string>) {
    this.#server = server;
    this.origins = origins;
  }

  static async open(t: TestContext, certificate: Certificate): Promise<GateService> {
    const proxies = {
      https: await openTlsProxy(t, certificate),
      http: await openTlsProxy(t, undefined),
      localhost: await openTlsProxy(t, undefined),
    };
    const origins = {
      https: `https://cloche.test:${proxies.https.port}`,
      http: `http://cloche.test:${proxies.http.port}`,
      localhost: `http://localhost:${proxies.localhost.port}`,
    };
    const server = await openTestServer(t, {
      listen: true,
      viewer: await readViewerBuild(VIEWER_DIST),
      publicUrl: origins.https,
      // Embeds work at the former addresses of a service, so one service has all three.
      formerOrigins: [origins.http, origins.localhost],
      processing: { posterRenderer: { render: renderCyanPoster } },
      logLevel: 'silent',
    });
    const port = Number(new URL(server.origin).port);
    for (const proxy of Object.values(proxies)) proxy.setTarget(port);
    return new GateService(server, origins);
  }

  /** The port of the service itself. */
  get port(): number {
    return Number(new URL(this.#server.origin).port);
  }

  get secretToken(): string {
    return this.#server.token;
  }

  /** Calls a function after each response of the service. */
  onResponse(handle: (request: IncomingMessage, response: ServerResponse) => void): void {
    this.#server.app.server.on('request', (request, response: ServerResponse) => {
      response.on('finish', () => handle(request, response));
    });
  }

  /** Sends an API request, with the bootstrap token if there is no other. */
  async send(method: Method, url: string, body?: object, token = this.secretToken) {
    const response = await this.#server.app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        host: new URL(this.origins.https).host,
        ...(Buffer.isBuffer(body) && { 'content-type': 'model/gltf-binary', prefer: 'wait=60' }),
      },
      ...(body && { payload: body }),
    });
    assert.ok(response.statusCode < 300, response.body);
    return response;
  }

  /** Uploads a magenta box with the canaries. The bytes of its files are unique, so no browser has them in its cache. */
  async addDesign(token?: string): Promise<Design> {
    const [name, description] = CANARIES;
    this.#designCount += 1;
    // A difference that no pixel shows. A name would not remain in the optimized model.
    const blue = 1 - this.#designCount * 1e-6;
    const box = makeBox({ color: [1, 0, blue], unlit: true });
    const design = (await this.send('POST', '/v1/designs', box, token)).json() as Design;
    await this.send('PATCH', `/v1/designs/${design.id}`, { name, description }, token);
    return design;
  }

  async addToken(request: object, issuer?: string): Promise<{ id: string; token: string }> {
    const body = { capabilities: ['embed'], ...request };
    return (await this.send('POST', '/v1/tokens', body, issuer)).json();
  }

  /** Creates a user, and returns a secret token of it. */
  async addUser(name: string): Promise<string> {
    await this.runCommand('users', 'add', name);
    return this.runCommand('token', '--user', name, '--capabilities', 'read,write,embed');
  }

  /** Runs a command of `cloche-server` on the data of the service. */
  async runCommand(...args: string[]): Promise<string> {
    const environment = { CLOCHE_DATA: this.#server.dataDirectory };
    const { status, stdout, stderr } = await runInProcess(args, environment);
    assert.equal(status, 0, stderr);
    return stdout.trim();
  }

  /** Requests a framed document as a browser does for an iframe of a page. Returns its status and its viewer config. */
  async openDocument(url: string, page: string) {
    const { statusCode, body } = await this.#server.app.inject({
      url,
      headers: {
        host: new URL(this.origins.https).host,
        referer: `${page}/`,
        'sec-fetch-dest': 'iframe',
      },
    });
    const json = /id="viewer-config">(.*?)<\/script>/.exec(body)?.[1];
    return { status: statusCode, body, config: json && (JSON.parse(json) as ViewerConfig) };
  }
}

/**
 * Its posters have another color than the model, so that a screenshot tells them apart. Their bytes are unique, so no browser has
 * them in its cache.
 */
export async function renderCyanPoster(): Promise<CapturedPoster> {
  const exif = { IFD0: { ImageDescription: randomUUID() } };
  const sizes = [
    { kind: 'poster', width: 640, height: 480 },
    { kind: 'poster-inline', width: 240, height: 180 },
    { kind: 'poster-share', width: 1200, height: 630 },
  ] as const;
  const images = sizes.map(async ({ kind, width, height }) => {
    const picture = sharp({
      create: { width, height, channels: 4, background: '#00ffff' },
    }).withExif(exif);
    const encoded = kind === 'poster-share' ? picture.jpeg() : picture.webp();
    return { kind, width, height, bytes: await encoded.toBuffer() };
  });
  return {
    images: await Promise.all(images),
    placeholder: { background: '#dfe2e7' },
    hasOneColor: false,
  };
}
