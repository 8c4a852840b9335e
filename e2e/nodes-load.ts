import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../scripts/wait-until.ts';
import type { NodesClient } from './nodes-client.ts';
import { NodesDesigns } from './nodes-designs.ts';
import type { NodesUploads } from './nodes-uploads.ts';
import type { ServiceProcess } from './service-process.ts';

/** The requests of one writer, after each other. */
type Writer = () => Promise<void>;
type StoredToken = { id: string; token: string; name: string };

const WRITERS = 16;
const CHANGES_TIMEOUT_MS = 120_000;
const RETRY_DELAY_MS = 50;

/**
 * Writers that send each request to a random node, and send it again, to any node, until it is acknowledged. They
 * know what was acknowledged.
 */
export class NodesLoad {
  readonly #client: NodesClient;
  readonly #designs: NodesDesigns;
  /** By id. */
  readonly tokens = new Map<string, StoredToken>();
  readonly revoked: StoredToken[] = [];
  /** The ids of the tokens and designs that were changed since the last `run`. */
  readonly changed = new Set<string>();
  #stopped = true;

  constructor(client: NodesClient) {
    this.#client = client;
    this.#designs = new NodesDesigns(client, this.changed);
  }

  /** Source files of each revision in order, by design id. */
  get designs(): ReadonlyMap<string, readonly Buffer[]> {
    return this.#designs.stored;
  }

  /** The ids of designs that were deleted. */
  get deleted(): ReadonlySet<string> {
    return this.#designs.deleted;
  }

  /** Models that replaced one. */
  get replacements(): number {
    return this.#designs.replacements;
  }

  get uploads(): NodesUploads {
    return this.#designs.uploads;
  }

  /** Starts the writers. Resolves when the last request of each is acknowledged after `stop`. */
  async run(): Promise<void> {
    const kinds: Writer[] = [
      () => this.#createToken(),
      () => this.#revokeToken(),
      () => this.#createToken(),
      () => this.#renameToken(),
      () => this.#designs.upload(),
      () => this.#designs.uploadResumably(),
      () => this.#createToken(),
      () => this.#revokeToken(),
      () => this.#designs.delete(),
      () => this.#designs.replaceModel(),
    ];
    this.#stopped = false;
    // Before the first `await`: `waitForChanges` counts them.
    this.changed.clear();
    await this.#designs.startRound();
    const writers = Array.from({ length: WRITERS }, (_, index) => kinds[index % kinds.length]);
    await Promise.all(writers.map((write) => this.#repeat(write as Writer)));
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Waits until so many more tokens and designs were changed, and that was acknowledged. */
  async waitForChanges(count: number): Promise<void> {
    const expected = this.changed.size + count;
    await waitUntil(
      () => `${expected - this.changed.size} more of ${expected} changes`,
      () => this.changed.size >= expected,
      { timeoutMs: CHANGES_TIMEOUT_MS },
    );
  }

  async #repeat(write: Writer): Promise<void> {
    while (!this.#stopped) await write();
  }

  async #createToken(): Promise<void> {
    const name = randomUUID();
    const body = JSON.stringify({ capabilities: ['read'], name });
    const headers = { 'content-type': 'application/json', 'idempotency-key': name };
    const sent = { method: 'POST', headers, body, statuses: [201] };
    const { id = '', token = '' } = await this.#client.sendTwice('/v1/tokens', sent);
    this.changed.add(id);
    this.tokens.set(id, { id, token, name });
  }

  async #renameToken(): Promise<void> {
    const taken = this.#takeToken();
    if (taken === undefined) return delay(RETRY_DELAY_MS);
    const name = randomUUID();
    const body = JSON.stringify({ name });
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'PATCH', headers, body, statuses: [200] };
    await this.#client.sendUntilAcknowledged(`/v1/tokens/${taken.id}`, sent);
    this.changed.add(taken.id);
    this.tokens.set(taken.id, { ...taken, name });
  }

  async #revokeToken(): Promise<void> {
    const taken = this.#takeToken();
    if (taken === undefined) return delay(RETRY_DELAY_MS);
    const { id, token } = taken;
    const getStatus = async (node: ServiceProcess) =>
      (await this.#client.sendOnce(node, `/v1/tokens/${id}`, { token })).status;
    // Each node caches the token.
    for (const node of this.#client.nodes) await getStatus(node);
    await this.#client.sendUntilAcknowledged(`/v1/tokens/${id}`, {
      method: 'DELETE',
      statuses: [204],
    });
    this.changed.add(id);
    this.revoked.push(taken);
    await this.#client.assertEverywhere(401, getStatus);
  }

  /** Removes a token from those that are known to be valid, and returns it. */
  #takeToken(): StoredToken | undefined {
    const [taken] = this.tokens.values();
    if (taken !== undefined) this.tokens.delete(taken.id);
    return taken;
  }
}
