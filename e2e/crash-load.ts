import assert from 'node:assert/strict';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../scripts/wait-until.ts';
import type { ApiClient } from './api-client.ts';

type StoredToken = { token: string; name: string };
type ResumableUpload = {
  url: string;
  bytes: Buffer;
  offset: number;
  design?: string;
};

const JSON_HEADERS = { 'content-type': 'application/json' };
const TUS_HEADERS = { 'tus-resumable': '1.0.0' };

/** Requests of several clients that change data, and the changes that were acknowledged. */
export class CrashLoad {
  readonly #client: ApiClient;
  readonly #origin: string;
  /** By id. A token or design whose change was not acknowledged is not in these. */
  readonly tokens = new Map<string, StoredToken>();
  readonly designs = new Map<string, Buffer>();
  readonly uploads = new Map<string, ResumableUpload>();
  /** Token strings. */
  readonly revoked = new Set<string>();
  /** Ids of designs. */
  readonly deleted = new Set<string>();
  /** Number of acknowledged changes since the start, by client. */
  #changes: number[] = [];

  constructor(client: ApiClient, origin: string) {
    this.#client = client;
    this.#origin = origin;
  }

  /** Starts the clients. Resolves when the requests of all have failed, because the service was killed. */
  async start(): Promise<void> {
    const clients = [
      () => this.#createToken(),
      () => this.#createToken(),
      () => this.#renameToken(),
      () => this.#revokeToken(),
      () => this.#uploadDesign(),
      () => this.#deleteDesign(),
      () => this.#uploadResumably(),
    ];
    this.#changes = clients.map(() => 0);
    await Promise.all(clients.map((change, index) => this.#repeat(change, index)));
  }

  /** Waits until each client has made a change. */
  async waitForChanges(): Promise<void> {
    const check = async () => this.#changes.every((count) => count > 0);
    await waitUntil(() => `a change by each client: ${this.#changes}`, check);
  }

  /** Sends the rest of each resumable upload. */
  async completeUploads(): Promise<void> {
    for (const upload of this.uploads.values()) {
      if (upload.design === undefined) await this.#append(upload, upload.bytes.length);
    }
  }

  async assertAllStored(): Promise<void> {
    for (const [id, { token, name }] of this.tokens) {
      const response = await this.#readOwnToken(id, token);
      assert.equal(response.status, 200, `token ${id} is missing`);
      assert.equal(((await response.json()) as StoredToken).name, name);
    }
    for (const token of this.revoked) {
      const { status } = await this.#readOwnToken('tok_0000000000000000', token);
      assert.equal(status, 401, 'a revoked token is valid again');
    }
    for (const [id, bytes] of this.designs) {
      assert.ok((await this.#client.getSourceFile(id)).equals(bytes), `design ${id} is damaged`);
    }
    for (const id of this.deleted) {
      const { status } = await this.#client.request(`/v1/designs/${id}`);
      assert.equal(status, 404, `design ${id} was deleted`);
    }
    for (const upload of this.uploads.values()) await this.#assertUploadStored(upload);
  }

  async #assertUploadStored(upload: ResumableUpload): Promise<void> {
    const { status, headers } = await this.#send(upload.url, {
      method: 'HEAD',
    });
    assert.equal(status, 200, 'a resumable upload is missing');
    const offset = Number(headers.get('upload-offset'));
    assert.ok(offset >= upload.offset, `${offset} of ${upload.offset} acknowledged bytes are left`);
    const design = headers.get('cloche-design') ?? undefined;
    if (upload.design !== undefined) assert.equal(design, upload.design);
    this.#setOffset(upload, offset, design);
  }

  async #repeat(change: () => Promise<void>, index: number): Promise<void> {
    for (;;) {
      try {
        await change();
      } catch (error) {
        // The request of `fetch` failed; what was acknowledged before is checked after the restart.
        if (error instanceof TypeError) return;
        throw error;
      }
      this.#changes[index] = (this.#changes[index] ?? 0) + 1;
    }
  }

  async #createToken(): Promise<void> {
    const body = JSON.stringify({ capabilities: ['read'], name: 'new' });
    const init = { method: 'POST', headers: JSON_HEADERS, body };
    const response = await this.#client.request('/v1/tokens', init);
    assert.equal(response.status, 201);
    const { id, token } = (await response.json()) as {
      id: string;
      token: string;
    };
    this.tokens.set(id, { token, name: 'new' });
  }

  async #renameToken(): Promise<void> {
    const [id, { token }] = await this.#take(this.tokens);
    const name = `renamed ${Math.random()}`;
    const init = {
      method: 'PATCH',
      headers: JSON_HEADERS,
      body: JSON.stringify({ name }),
    };
    const response = await this.#client.request(`/v1/tokens/${id}`, init);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
    this.tokens.set(id, { token, name });
  }

  async #revokeToken(): Promise<void> {
    const [id, { token }] = await this.#take(this.tokens);
    const { status } = await this.#client.request(`/v1/tokens/${id}`, {
      method: 'DELETE',
    });
    assert.equal(status, 204);
    this.revoked.add(token);
  }

  async #uploadDesign(): Promise<void> {
    const bytes = makeBox({ name: `${Math.random()}` });
    const { status, body } = await this.#client.upload(bytes, { waitS: 0 });
    // The queue may be full.
    if (status === 503) return;
    assert.equal(status, 201);
    this.designs.set(body.id, bytes);
  }

  async #deleteDesign(): Promise<void> {
    const [id] = await this.#take(this.designs);
    const { status } = await this.#client.request(`/v1/designs/${id}`, {
      method: 'DELETE',
    });
    assert.equal(status, 204);
    this.deleted.add(id);
  }

  async #uploadResumably(): Promise<void> {
    const bytes = makeBox({ name: `${Math.random()}` });
    const headers = { 'upload-length': String(bytes.length) };
    const { status, headers: received } = await this.#send('/v1/uploads', {
      method: 'POST',
      headers,
    });
    if (status === 503) return;
    assert.equal(status, 201);
    const url = new URL(received.get('location') ?? '', this.#origin).pathname;
    const upload = { url, bytes, offset: 0 };
    this.uploads.set(url, upload);
    for (const end of [0.3, 0.6, 1]) await this.#append(upload, Math.floor(end * bytes.length));
  }

  async #append(upload: ResumableUpload, end: number): Promise<void> {
    const { url, bytes, offset } = upload;
    const type = 'application/offset+octet-stream';
    const { status, headers } = await this.#send(url, {
      method: 'PATCH',
      headers: { 'content-type': type, 'upload-offset': String(offset) },
      body: new Uint8Array(bytes.subarray(offset, end)),
    });
    assert.equal(status, 204);
    this.#setOffset(upload, end, headers.get('cloche-design') ?? undefined);
  }

  #setOffset(upload: ResumableUpload, offset: number, design: string | undefined): void {
    upload.offset = offset;
    // It may have been deleted since it was first reported.
    if (design === undefined || upload.design !== undefined) return;
    upload.design = design;
    this.designs.set(design.slice('cloche:design:'.length), upload.bytes);
  }

  /** Removes an item and returns it; its change may be interrupted. Waits until there is one. */
  async #take<T>(items: Map<string, T>): Promise<[string, T]> {
    for (;;) {
      const [first] = items;
      if (first !== undefined) {
        items.delete(first[0]);
        return first;
      }
      // Fails when the service was killed.
      await (await this.#client.request('/livez')).arrayBuffer();
    }
  }

  async #send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const response = await this.#client.request(path, {
      ...init,
      headers: { ...TUS_HEADERS, ...(headers as Record<string, string>) },
    });
    await response.arrayBuffer();
    return response;
  }

  #readOwnToken(id: string, token: string): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${this.#origin}/v1/tokens/${id}`, { headers });
  }
}
