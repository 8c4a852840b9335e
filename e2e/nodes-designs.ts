import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { SHOP_ORIGIN } from './api-client.ts';
import { getEmbedStatus, type NodesClient } from './nodes-client.ts';
import { NodesUploads } from './nodes-uploads.ts';
import type { ServiceProcess } from './service-process.ts';

/** Each upload is a file to be processed, which takes a second of a processor. */
const MAX_UPLOADS_IN_ROUND = 8;
const RETRY_DELAY_MS = 50;

/** Creates, replaces and deletes designs on nodes that may be killed at any time. Knows what was acknowledged. */
export class NodesDesigns {
  readonly #client: NodesClient;
  readonly #changed: Set<string>;
  readonly uploads: NodesUploads;
  /** Source files of each revision in order, by design id. */
  readonly stored = new Map<string, readonly Buffer[]>();
  readonly deleted = new Set<string>();
  /** Models that replaced one. */
  replacements = 0;
  #embedToken: string | undefined;
  #uploadsInRound = 0;

  /** @param changed receives the id of each design that is changed */
  constructor(client: NodesClient, changed: Set<string>) {
    this.#client = client;
    this.#changed = changed;
    this.uploads = new NodesUploads(client);
  }

  async startRound(): Promise<void> {
    this.#embedToken ??= await this.#createEmbedToken();
    this.#uploadsInRound = 0;
  }

  async upload(): Promise<void> {
    if (!this.#mayUpload()) return delay(RETRY_DELAY_MS);
    const name = randomUUID();
    const bytes = makeBox({ name });
    const { id } = await this.#sendFile('POST', `/v1/designs?name=${name}`, bytes);
    this.#record(id, [bytes]);
  }

  async uploadResumably(): Promise<void> {
    if (!this.#mayUpload()) return delay(RETRY_DELAY_MS);
    const bytes = makeBox({ name: randomUUID() });
    this.#record(await this.uploads.upload(bytes), [bytes]);
  }

  /** Replaces the model of any design. Nothing else changes it meanwhile. */
  async replaceModel(): Promise<void> {
    const ids = [...this.stored.keys()];
    const id = ids[Math.floor(Math.random() * ids.length)];
    const revisions = this.stored.get(id ?? '');
    if (id === undefined || revisions === undefined || !this.#mayUpload())
      return delay(RETRY_DELAY_MS);
    this.stored.delete(id);
    const bytes = makeBox({ name: randomUUID() });
    await this.#sendFile('PUT', `/v1/designs/${id}/model`, bytes);
    this.replacements += 1;
    this.#record(id, [...revisions, bytes]);
  }

  async delete(): Promise<void> {
    const [id] = this.stored.keys();
    // Most designs are kept.
    if (id === undefined || this.stored.size < 3 * (this.deleted.size + 1))
      return delay(RETRY_DELAY_MS);
    this.stored.delete(id);
    const url = `/embed/iframe/v1/${id}?token=${this.#embedToken}`;
    const getStatus = (node: ServiceProcess) => getEmbedStatus(node.origin + url);
    for (const node of this.#client.nodes) await getStatus(node);
    // 404: the first request was not acknowledged, and has deleted it.
    const sent = { method: 'DELETE', statuses: [204, 404] };
    await this.#client.sendUntilAcknowledged(`/v1/designs/${id}`, sent);
    this.#changed.add(id);
    this.deleted.add(id);
    await this.#client.assertEverywhere(404, getStatus);
  }

  #mayUpload(): boolean {
    if (this.#uploadsInRound >= MAX_UPLOADS_IN_ROUND) return false;
    this.#uploadsInRound += 1;
    return true;
  }

  #record(id: string, revisions: readonly Buffer[]): void {
    this.#changed.add(id);
    this.stored.set(id, revisions);
  }

  async #sendFile(method: 'POST' | 'PUT', path: string, bytes: Buffer): Promise<{ id: string }> {
    const headers = {
      'content-type': 'application/octet-stream',
      'idempotency-key': randomUUID(),
      prefer: 'wait=0',
    };
    const body = new Uint8Array(bytes);
    const { id = '' } = await this.#client.sendTwice(path, {
      ...{ method, headers, body },
      statuses: [method === 'POST' ? 201 : 200],
    });
    return { id };
  }

  async #createEmbedToken(): Promise<string> {
    const body = JSON.stringify({ capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api' });
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body, statuses: [201] };
    const { token = '' } = await this.#client.sendUntilAcknowledged('/v1/tokens', sent);
    return token;
  }
}
