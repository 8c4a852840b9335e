import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SHOP_ORIGIN } from './api-client.ts';
import type { OutageResponse } from './outage-responses.ts';
import type { ServiceProcess } from './service-process.ts';

const REQUEST_TIMEOUT_MS = 120_000;
const RETRY_DELAY_MS = 50;

export type SentRequest = Omit<RequestInit, 'headers'> & {
  headers?: Record<string, string>;
  token?: string;
};

/** A request, and the statuses of the responses that acknowledge it. */
export type AcknowledgedRequest = SentRequest & { statuses: readonly number[] };

/** Sends requests to nodes that may be killed at any time, as the owner of everything. */
export class NodesClient {
  readonly nodes: readonly ServiceProcess[];
  readonly #token: string;
  /** Requests that were sent again. */
  retries = 0;
  #closed = false;

  constructor(nodes: readonly ServiceProcess[], token: string) {
    this.nodes = nodes;
    this.#token = token;
  }

  /** Lets all later requests fail, which would otherwise be sent again forever when the nodes are stopped. */
  close(): void {
    this.#closed = true;
  }

  /** Sends a request to a node, as the owner of everything or with another token. */
  async send(
    node: ServiceProcess,
    path: string,
    { token = this.#token, ...init }: SentRequest = {},
  ): Promise<Response> {
    if (this.#closed) throw new Error('The client is closed.');
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    return fetch(node.origin + path, {
      ...init,
      headers,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }

  /** Sends a request to the node with an index. */
  sendTo(index: number, path: string, init: SentRequest): Promise<Response> {
    return this.send(this.nodes[index] as ServiceProcess, path, init);
  }

  /** Sends a request until a node answers it with one of the statuses. */
  async sendUntilAcknowledged(
    path: string,
    init: AcknowledgedRequest,
  ): Promise<Record<string, string>> {
    for (;;) {
      const node = this.nodes[Math.floor(Math.random() * this.nodes.length)] as ServiceProcess;
      const { status, text } = await this.sendOnce(node, path, init);
      if (init.statuses.includes(status)) return text === '' ? {} : JSON.parse(text);
      // 0: the connection failed. 409: the same request is still running. 503: busy, or shutting down.
      assert.ok([0, 409, 503].includes(status), `${init.method} ${path}: ${status} ${text}`);
      this.retries += 1;
      await delay(RETRY_DELAY_MS);
    }
  }

  /**
   * Sends a request with an Idempotency-Key twice, at the same time. Only one of them may change something, and both get its
   * response.
   */
  async sendTwice(path: string, init: AcknowledgedRequest): Promise<Record<string, string>> {
    const send = () => this.sendUntilAcknowledged(path, init);
    const [first, second] = await Promise.all([send(), send()]);
    // The progress of an earlier revision is that of the moment.
    for (const design of [first, second]) delete design.progress;
    assert.deepEqual(first, second, `${init.method} ${path}: was done twice`);
    return first;
  }

  /** Status 0: the connection failed. */
  async sendOnce(node: ServiceProcess, path: string, init: SentRequest) {
    try {
      const response = await this.send(node, path, init);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      // The node was killed.
      if (error instanceof TypeError) return { status: 0, text: '' };
      throw error;
    }
  }

  /**
   * Asks each node that runs, when it knows all changes until now. It must answer with the status of what was revoked
   * or deleted at once.
   */
  async assertEverywhere(
    expected: number,
    getStatus: (node: ServiceProcess) => Promise<number>,
  ): Promise<void> {
    const changedAtMs = performance.now();
    for (const node of this.nodes) {
      if (!(await this.#waitUntilKnown(node, changedAtMs))) continue;
      const status = await getStatus(node);
      // 0 and 503: the node is being killed or started.
      assert.ok([0, expected, 503].includes(status), `${status} instead of ${expected}`);
    }
  }

  /** Returns false if the node does not run. */
  async #waitUntilKnown(node: ServiceProcess, sinceMs: number): Promise<boolean> {
    for (;;) {
      const askedAtMs = performance.now();
      const { status, text } = await this.sendOnce(node, '/readyz', {});
      if (status !== 200) return false;
      const { events } = JSON.parse(text) as { events: { current: boolean; lagMs: number | null } };
      if (!events.current || (events.lagMs !== null && events.lagMs + 1 < askedAtMs - sinceMs))
        return true;
      await delay(5);
    }
  }
}

/** The status of a framed document on a page of the shop. 0: the connection failed. */
export async function getEmbedStatus(url: string): Promise<number> {
  return (await requestEmbed(url, SHOP_ORIGIN)).status;
}

/** Requests a framed document, as a page of an origin does. Status 0: the connection failed. */
export async function requestEmbed(url: string, origin: string): Promise<OutageResponse> {
  // `fetch` does not send these headers.
  const headers = { 'sec-fetch-dest': 'iframe', referer: `${origin}/` };
  const failed = { status: 0, retryAfter: undefined };
  return new Promise((resolve) => {
    const outgoing = request(url, { headers, agent: false }, (response) => {
      const { statusCode = 0, headers } = response.resume();
      const received = { status: statusCode, retryAfter: headers['retry-after'] };
      response.on('close', () => resolve(response.complete ? received : failed));
    });
    outgoing.on('error', () => resolve(failed)).end();
  });
}
