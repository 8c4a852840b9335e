import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { waitUntil } from '../scripts/wait-until.ts';
import { requestEmbed } from './nodes-client.ts';
import type { OutageResponse } from './outage-responses.ts';
import { ServiceProcess } from './service-process.ts';

const GRANT_KEY = '0123456789abcdef'.repeat(4);
/** The site of the embeds. */
export const SHOP = 'https://shop.example';

type Response = { status: number; headers: Headers; body: Record<string, unknown> };

/** Three nodes on one database, with one folder for the files. `web` processes none of them. */
export class ThreeNodes {
  readonly web: ServiceProcess;
  readonly workers: readonly [ServiceProcess, ServiceProcess];
  readonly settings: Record<string, string>;
  readonly token: string;

  private constructor(
    services: readonly ServiceProcess[],
    settings: Record<string, string>,
    token: string,
  ) {
    const [web, first, second] = services as [ServiceProcess, ServiceProcess, ServiceProcess];
    this.web = web;
    this.workers = [first, second];
    this.settings = settings;
    this.token = token;
  }

  static async open(t: TestContext, databaseUrl: string): Promise<ThreeNodes> {
    const settings = {
      CLOCHE_DATABASE_URL: databaseUrl,
      CLOCHE_GRANT_KEY: GRANT_KEY,
      CLOCHE_FILES: join(await openTemporaryDirectory(t), 'files'),
    };
    const web = await ServiceProcess.open(t, { ...settings, CLOCHE_ROLE: 'web' });
    const workers = await Promise.all([1, 2].map(() => ServiceProcess.open(t, settings)));
    return new ThreeNodes([web, ...workers], settings, await web.readBootstrapToken());
  }

  get all(): readonly ServiceProcess[] {
    return [this.web, ...this.workers];
  }

  async call(
    node: ServiceProcess,
    method: string,
    path: string,
    { token = this.token, body, headers = {} }: CallOptions = {},
  ): Promise<Response> {
    const isFile = body instanceof Uint8Array;
    const response = await fetch(node.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    };
  }

  async createToken(fields: object = {}): Promise<{ id: string; token: string }> {
    const body = { capabilities: ['read'], ...fields };
    const created = await this.call(this.web, 'POST', '/v1/tokens', { body });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body as { id: string; token: string };
  }

  /** Requests the framed document, as a page of the shop does. */
  requestEmbed(node: ServiceProcess, designId: string, token: string): Promise<OutageResponse> {
    return requestEmbed(`${node.origin}/embed/iframe/v1/${designId}?token=${token}`, SHOP);
  }

  async getEmbedStatus(node: ServiceProcess, designId: string, token: string): Promise<number> {
    return (await this.requestEmbed(node, designId, token)).status;
  }

  /** Waits until the other nodes respond with a status, after a change on the first one. */
  async waitForStatus(
    description: string,
    expected: number,
    getStatus: (node: ServiceProcess) => Promise<number>,
  ): Promise<void> {
    for (const node of this.all)
      await waitUntil(description, async () => (await getStatus(node)) === expected);
  }
}

type CallOptions = {
  token?: string;
  body?: object | Uint8Array;
  headers?: Record<string, string>;
};
