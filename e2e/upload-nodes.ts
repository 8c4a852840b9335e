import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import type { TestContext } from 'node:test';
import { waitUntil } from '../scripts/wait-until.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { TUS_HEADERS, TUS_PATCH_HEADERS } from '../server/testing/tus-requests.ts';
import { ServiceProcess } from './service-process.ts';

/** Two nodes on one database, with one place for the files. */
export class UploadNodes {
  readonly first: ServiceProcess;
  readonly second: ServiceProcess;
  readonly #token: string;
  readonly #databaseUrl: string;

  private constructor(services: [ServiceProcess, ServiceProcess], token: string, url: string) {
    [this.first, this.second] = services;
    this.#token = token;
    this.#databaseUrl = url;
  }

  static async open(
    t: TestContext,
    settings: Record<string, string> & { CLOCHE_DATABASE_URL: string },
  ): Promise<UploadNodes> {
    const web = { CLOCHE_GRANT_KEY: '0'.repeat(64), CLOCHE_ROLE: 'web', ...settings };
    const first = await ServiceProcess.open(t, web);
    const second = await ServiceProcess.open(t, web);
    const token = await first.readBootstrapToken();
    return new UploadNodes([first, second], token, settings.CLOCHE_DATABASE_URL);
  }

  async send(
    node: ServiceProcess,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array,
  ): Promise<Response> {
    return fetch(node.origin + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(body && { body: new Uint8Array(body) }),
    });
  }

  /** Begins an upload and returns its path. */
  async create(node: ServiceProcess, bytes: Buffer, headers = {}): Promise<string> {
    const length = { ...TUS_HEADERS, 'upload-length': String(bytes.length), ...headers };
    const response = await this.send(node, 'POST', '/v1/uploads', length);
    assert.equal(response.status, 201, await response.text());
    return new URL(response.headers.get('location') ?? '').pathname;
  }

  patch(node: ServiceProcess, path: string, bytes: Uint8Array, offset: number) {
    const headers = { ...TUS_PATCH_HEADERS, 'upload-offset': String(offset) };
    return this.send(node, 'PATCH', path, headers, bytes);
  }

  head(node: ServiceProcess, path: string): Promise<Response> {
    return this.send(node, 'HEAD', path, TUS_HEADERS);
  }

  /** Repeats the request while another one has the lock, as clients of tus do. */
  async getOffset(node: ServiceProcess, path: string): Promise<number> {
    const response = await waitUntil('the upload is not locked', async () => {
      const head = await this.head(node, path);
      return head.status !== 423 && head;
    });
    assert.equal(response.status, 200);
    return Number(response.headers.get('upload-offset'));
  }

  /** Begins a PATCH of all remaining bytes, and sends only `count` of them. */
  beginPatch(node: ServiceProcess, path: string, rest: Buffer, offset: number, count: number) {
    const outgoing: ClientRequest = request(node.origin + path, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...TUS_PATCH_HEADERS,
        'upload-offset': offset,
        'content-length': rest.length,
      },
    });
    const status = new Promise<number | undefined>((resolve) => {
      outgoing.on('response', (response) => resolve(response.resume().statusCode));
      outgoing.on('error', () => resolve(undefined));
    });
    outgoing.write(rest.subarray(0, count));
    const send = (bytes: Uint8Array) => outgoing.write(bytes);
    return { status, send, destroy: () => outgoing.destroy() };
  }

  /** Waits until the database has acknowledged bytes, without asking the request to stop. */
  async waitForOffset(path: string, minOffset: number): Promise<number> {
    const id = path.split('/').at(-1);
    return waitUntil(`an offset of ${minOffset}`, async () => {
      const query = `SELECT offset_bytes FROM upload WHERE id = '${id}'`;
      const { rows } = await runSql(this.#databaseUrl, query);
      const offset = Number(rows[0]?.offset_bytes);
      return offset >= minOffset && offset;
    });
  }

  /** Checks that a response is that of a complete upload, and that the design has exactly these bytes. */
  async assertDesign(response: Response, bytes: Buffer): Promise<void> {
    assert.ok(response.ok, await response.text());
    const uri = response.headers.get('cloche-design') ?? '';
    assert.match(uri, /^cloche:design:/);
    const id = uri.slice('cloche:design:'.length);
    for (const node of [this.first, this.second]) {
      const list = await this.send(node, 'GET', `/v1/designs/${id}/revisions`);
      const { items } = (await list.json()) as { items: { sha256: string }[] };
      assert.deepEqual(
        items.map(({ sha256 }) => sha256),
        [createHash('sha256').update(bytes).digest('hex')],
      );
      const model = await this.send(node, 'GET', `/v1/designs/${id}/model`);
      assert.ok(Buffer.from(await model.arrayBuffer()).equals(bytes), 'the file is damaged');
    }
  }

  /** Waits until both nodes have reported again that they run, which they do every 5 s. */
  async waitForHeartbeats(): Promise<void> {
    const { rows } = await runSql(this.#databaseUrl, 'SELECT id, seen_at FROM node');
    assert.equal(rows.length, 2);
    await waitUntil('both nodes to report', async () => {
      const { rows: later } = await runSql(this.#databaseUrl, 'SELECT id, seen_at FROM node');
      return rows.every(({ id, seen_at }) =>
        later.some((row) => row.id === id && row.seen_at > seen_at),
      );
    });
  }

  /** Reads the jobs of all designs. */
  async listJobs(): Promise<{ attempts: number; node: string | null }[]> {
    const { rows } = await runSql(this.#databaseUrl, 'SELECT attempts, node FROM job');
    return rows as { attempts: number; node: string | null }[];
  }

  async countDesigns(): Promise<number> {
    const list = await this.send(this.first, 'GET', '/v1/designs');
    return ((await list.json()) as { items: unknown[] }).items.length;
  }
}
