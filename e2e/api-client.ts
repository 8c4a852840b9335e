import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Design } from '@cloche/contract/design';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { waitUntil } from '../scripts/wait-until.ts';
import type { ServiceProcess } from './service-process.ts';

/** The response to an upload: a design, or a problem. */
export type UploadResponse = { status: number; text: string; body: Design & { code?: string } };

/** The request that a browser sends to open the framed document. */
export type DocumentRequest = { url: string; headers: Record<string, string> };

/** The origin of the page that may show the designs. */
export const SHOP_ORIGIN = 'http://shop.test';
/** Many files may be processed at the same time, on a busy machine. */
const PROCESSING_TIMEOUT_MS = 400_000;

/** Where the service is, and its bootstrap token. */
type Service = Pick<ServiceProcess, 'origin' | 'readBootstrapToken'>;

/** Calls the API of a running service with the bootstrap token. */
export class ApiClient {
  readonly #service: Service;
  readonly #tokenString: string;
  #embedTokenString: Promise<string> | undefined;

  private constructor(service: Service, tokenString: string) {
    this.#service = service;
    this.#tokenString = tokenString;
  }

  static async create(service: Service): Promise<ApiClient> {
    return new ApiClient(service, await service.readBootstrapToken());
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#tokenString}`, ...init.headers };
    return fetch(this.#service.origin + path, { ...init, headers });
  }

  /**
   * Uploads a file. `waitS` is how long the response may wait for the processing to end. By default, this waits until the design is ready or
   * failed: a slow machine needs longer than a response may wait.
   */
  async upload(
    bytes: Uint8Array,
    { path = '/v1/designs', waitS }: { path?: string; waitS?: number } = {},
  ): Promise<UploadResponse> {
    const response = await this.request(path, {
      method: path === '/v1/designs' ? 'POST' : 'PUT',
      headers: { 'content-type': 'application/octet-stream', prefer: `wait=${waitS ?? 60}` },
      body: new Uint8Array(bytes),
    });
    const text = await response.text();
    const body: UploadResponse['body'] = JSON.parse(text);
    const isPending = body.status === 'queued' || body.status === 'processing';
    if (waitS !== undefined || !isPending) return { status: response.status, text, body };
    const settled = await this.waitUntilSettled(body.id);
    return { status: response.status, text: JSON.stringify(settled), body: settled };
  }

  async getDesign(id: string): Promise<Design> {
    const response = await this.request(`/v1/designs/${id}`);
    assert.equal(response.status, 200, `design ${id} cannot be read`);
    return (await response.json()) as Design;
  }

  /** Waits until the design is ready or failed. */
  async waitUntilSettled(id: string): Promise<Design> {
    let design: Design | undefined;
    const check = async () => {
      design = await this.getDesign(id);
      return (design.status === 'ready' || design.status === 'failed') && design;
    };
    return waitUntil(() => `the design to be processed: ${JSON.stringify(design)}`, check, {
      timeoutMs: PROCESSING_TIMEOUT_MS,
    });
  }

  /** Downloads the source file. */
  async getSourceFile(id: string): Promise<Buffer> {
    const response = await this.request(`/v1/designs/${id}/model`);
    assert.equal(response.status, 200, `the source file of ${id} cannot be read`);
    return Buffer.from(await response.arrayBuffer());
  }

  /** Creates the request for the framed document on a page of an origin. */
  async createDocumentRequest(id: string, origin = SHOP_ORIGIN): Promise<DocumentRequest> {
    const token = await (origin === SHOP_ORIGIN
      ? // biome-ignore lint/suspicious/noAssignInExpressions: created once
        (this.#embedTokenString ??= this.#createToken(origin))
      : this.#createToken(origin));
    return {
      url: `${this.#service.origin}/embed/iframe/v1/${id}?token=${token}`,
      headers: { 'sec-fetch-dest': 'iframe', referer: `${origin}/` },
    };
  }

  /** Asserts the status of the framed document for a token of the shop. */
  async assertEmbedStatus(id: string, token: string, expected: number): Promise<void> {
    const url = `${this.#service.origin}/embed/iframe/v1/${id}?token=${token}`;
    const headers = { 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` };
    assert.equal((await sendGet({ url, headers })).status, expected);
  }

  /** Reads the viewer config from the framed document of a design. */
  async getViewerConfig(id: string): Promise<ViewerConfig> {
    const { status, body } = await sendGet(await this.createDocumentRequest(id));
    assert.equal(status, 200, `framed document of ${id}: ${status}`);
    return JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(body.toString())?.[1] ?? '');
  }

  /** Downloads an artifact; the model by default. */
  async getArtifact({ grant, model }: ViewerConfig, path = model.url): Promise<Buffer> {
    const url = new URL(path, this.#service.origin).href;
    const { status, body } = await sendGet({ url, headers: { [GRANT_HEADER]: grant } });
    assert.equal(status, 200, `${path}: ${status}`);
    return body;
  }

  async #createToken(origin: string): Promise<string> {
    const body = { capabilities: ['embed'], origins: [origin], type: 'api', user: '~' };
    const response = await this.request('/v1/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
    return ((await response.json()) as { token: string }).token;
  }
}

/** Sends headers that `fetch` does not allow. */
export async function sendGet({
  url,
  headers,
}: DocumentRequest): Promise<{ status: number; body: Buffer }> {
  const outgoing = request(url, { headers, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  return { status: response.statusCode ?? 0, body };
}
