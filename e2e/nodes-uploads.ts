import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { TUS_HEADERS, TUS_PATCH_HEADERS } from '../server/testing/tus-requests.ts';
import type { NodesClient, SentRequest } from './nodes-client.ts';

const RETRY_DELAY_MS = 50;
/** The ends of the requests, as parts of the file. */
const PARTS = [0.3, 0.6, 1];
/** The connection failed, another request has the upload or has changed its offset, or the node is busy. */
const RETRIED_STATUSES = [0, 409, 423, 503];

type Upload = { path: string; bytes: Buffer; acknowledged: number };
type UploadState = { offset: number; designId: string | undefined };

/** Resumable uploads to nodes that may be killed at any time. Each request is to a random node. */
export class NodesUploads {
  readonly #client: NodesClient;
  finished = 0;
  /** How often an upload was continued after a request that was not acknowledged. */
  continued = 0;

  constructor(client: NodesClient) {
    this.#client = client;
  }

  /** Uploads a file. Returns the id of its design. */
  async upload(bytes: Buffer): Promise<string> {
    const path = await this.#create(bytes.length);
    const upload = { path, bytes, acknowledged: 0 };
    let state: UploadState = { offset: 0, designId: undefined };
    while (state.designId === undefined) state = await this.#append(upload, state.offset);
    this.finished += 1;
    // Each node knows the same design.
    const known = await this.#readState(upload);
    assert.deepEqual(known, { offset: bytes.length, designId: state.designId });
    return state.designId;
  }

  async #create(length: number): Promise<string> {
    const headers = { ...TUS_HEADERS, 'upload-length': String(length) };
    for (;;) {
      const response = await this.#send('/v1/uploads', { method: 'POST', headers });
      if (response?.status === 201) return new URL(response.headers.get('location') ?? '').pathname;
      assertRetried(response);
      await delay(RETRY_DELAY_MS);
    }
  }

  /** Sends the next part. */
  async #append(upload: Upload, offset: number): Promise<UploadState> {
    const { path, bytes } = upload;
    const ends = PARTS.map((part) => Math.floor(part * bytes.length));
    const end = ends.find((position) => position > offset) ?? bytes.length;
    const response = await this.#send(path, {
      method: 'PATCH',
      headers: { ...TUS_PATCH_HEADERS, 'upload-offset': String(offset) },
      body: new Uint8Array(bytes.subarray(offset, end)),
    });
    if (response?.status === 204) {
      upload.acknowledged = end;
      return { offset: end, designId: findDesignId(response) };
    }
    assertRetried(response);
    this.continued += 1;
    await delay(RETRY_DELAY_MS);
    return this.#readState(upload);
  }

  async #readState({ path, bytes, acknowledged }: Upload): Promise<UploadState> {
    for (;;) {
      const response = await this.#send(path, { method: 'HEAD', headers: TUS_HEADERS });
      if (response?.status === 200) {
        const offset = Number(response.headers.get('upload-offset'));
        const isPossible = offset >= acknowledged && offset <= bytes.length;
        assert.ok(isPossible, `offset ${offset}, ${acknowledged} bytes were acknowledged`);
        return { offset, designId: findDesignId(response) };
      }
      assertRetried(response);
      await delay(RETRY_DELAY_MS);
    }
  }

  /** Sends a request to a random node. Undefined: the connection failed. */
  async #send(path: string, init: SentRequest): Promise<Response | undefined> {
    const index = Math.floor(Math.random() * this.#client.nodes.length);
    try {
      const response = await this.#client.sendTo(index, path, init);
      await response.arrayBuffer();
      return response;
    } catch (error) {
      // The node was killed.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

function assertRetried(response: Response | undefined): void {
  const status = response?.status ?? 0;
  assert.ok(RETRIED_STATUSES.includes(status), `${response?.url}: ${status}`);
}

function findDesignId({ headers }: Response): string | undefined {
  return headers.get('cloche-design')?.split(':').at(-1);
}
