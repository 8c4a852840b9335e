import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Design } from '@cloche/contract/design';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import type { ServiceProcess } from './service-process.ts';

/** How an upload was answered: a design, or a problem. */
export type UploadResponse = { status: number; text: string; body: Design & { code?: string } };

/** An address in a frame, and what a browser says when it opens it there. */
export type DocumentRequest = { url: string; headers: Record<string, string> };

const SHOP_ORIGIN = 'http://shop.test';
const TIMEOUT_MS = 120_000;

/** Who owns designs, and speaks to the real service over HTTP. */
export class ApiClient {
  readonly #service: ServiceProcess;
  readonly #tokenString: string;
  #embedTokenString: Promise<string> | undefined;

  private constructor(service: ServiceProcess, secret: string) {
    this.#service = service;
    this.#tokenString = secret;
  }

  static async create(service: ServiceProcess): Promise<ApiClient> {
    return new ApiClient(service, await service.readBootstrapToken());
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#tokenString}`, ...init.headers };
    return fetch(this.#service.origin + path, { ...init, headers });
  }

  /** Uploads a file, and waits for what becomes of it if so wished. */
  async upload(
    bytes: Uint8Array,
    { path = '/v1/designs', waitS = 60 } = {},
  ): Promise<UploadResponse> {
    const answer = await this.request(path, {
      method: path === '/v1/designs' ? 'POST' : 'PUT',
      headers: { 'content-type': 'application/octet-stream', prefer: `wait=${waitS}` },
      body: new Uint8Array(bytes),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) };
  }

  async getDesign(id: string): Promise<Design> {
    const answer = await this.request(`/v1/designs/${id}`);
    assert.equal(answer.status, 200, `design ${id} is lost`);
    return (await answer.json()) as Design;
  }

  /** The design when nothing more becomes of it by itself; one that is stuck fails the test. */
  async waitUntilSettled(id: string): Promise<Design> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const design = await this.getDesign(id);
      if (design.status === 'ready' || design.status === 'failed') return design;
      assert.ok(Date.now() < deadline, `design ${id} is stuck: ${JSON.stringify(design)}`);
      await wait(50);
    }
  }

  /** The file as it was sent. */
  async getSourceFile(id: string): Promise<Buffer> {
    const answer = await this.request(`/v1/designs/${id}/model`);
    assert.equal(answer.status, 200, `the file of ${id} is lost`);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** A frame on a page of that origin, as its visitor's browser opens it. */
  async createDocumentRequest(id: string, origin = SHOP_ORIGIN): Promise<DocumentRequest> {
    const token = await (origin === SHOP_ORIGIN
      ? // biome-ignore lint/suspicious/noAssignInExpressions: made once
        (this.#embedTokenString ??= this.#createToken(origin))
      : this.#createToken(origin));
    return {
      url: `${this.#service.origin}/embed/iframe/v1/${id}?token=${token}`,
      headers: { 'sec-fetch-dest': 'iframe', referer: `${origin}/` },
    };
  }

  /** What the framed document of a design tells the viewer. */
  async getViewerConfig(id: string): Promise<ViewerConfig> {
    const { status, body } = await sendGet(await this.createDocumentRequest(id));
    assert.equal(status, 200, `the frame of ${id}: ${status}`);
    return JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(body.toString())?.[1] ?? '');
  }

  /** A file that the framed document names: the model when no other is said. */
  async getArtifact({ grant, model }: ViewerConfig, path = model.url): Promise<Buffer> {
    const url = new URL(path, this.#service.origin).href;
    const { status, body } = await sendGet({ url, headers: { [GRANT_HEADER]: grant } });
    assert.equal(status, 200, `${path}: ${status}`);
    return body;
  }

  async #createToken(origin: string): Promise<string> {
    const wish = { capabilities: ['embed'], origins: [origin], type: 'api', user: '~' };
    const answer = await this.request('/v1/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wish),
    });
    assert.equal(answer.status, 201);
    return ((await answer.json()) as { token: string }).token;
  }
}

/** With headers that `fetch` does not let through. */
async function sendGet({
  url,
  headers,
}: DocumentRequest): Promise<{ status: number; body: Buffer }> {
  const outgoing = request(url, { headers, agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
  return { status: answer.statusCode ?? 0, body };
}
