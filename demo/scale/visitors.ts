import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { waitUntil } from '../../scripts/wait-until.ts';

const VISITOR_COUNT = 4;
/** Between two views of a visitor. */
const PAUSE_MS = 10;

/** Visitors of a page that look at a design again and again: they load the framed document, then its model and its preview. */
export class Visitors {
  requestCount = 0;
  /** What each failed request got. */
  readonly failures: string[] = [];
  readonly #documentUrl: string;
  readonly #pageOrigin: string;
  readonly #agent = new Agent({ keepAlive: true });
  #isStopped = false;
  #views: Promise<unknown> = Promise.resolve();

  constructor(documentUrl: string, pageOrigin: string) {
    this.#documentUrl = documentUrl;
    this.#pageOrigin = pageOrigin;
  }

  start(): void {
    this.#views = Promise.all(Array.from({ length: VISITOR_COUNT }, () => this.#viewRepeatedly()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#views;
    this.#agent.destroy();
  }

  /** Waits for a number of further requests. */
  async waitForRequests(count: number): Promise<void> {
    const end = this.requestCount + count;
    await waitUntil(`${count} requests of visitors`, () => this.requestCount >= end);
  }

  describe(): string {
    return `${this.requestCount} requests of visitors, ${this.failures.length} failed.`;
  }

  async #viewRepeatedly(): Promise<void> {
    while (!this.#isStopped) {
      const headers = { 'sec-fetch-dest': 'iframe', referer: `${this.#pageOrigin}/` };
      const html = await this.#get(this.#documentUrl, headers);
      const [, json] = /id="viewer-config">(.*?)<\/script>/.exec(html ?? '') ?? [];
      if (json !== undefined) {
        const { model, preview } = JSON.parse(json) as ViewerConfig;
        for (const file of [preview, model]) if (file !== undefined) await this.#get(file.url);
      }
      await delay(PAUSE_MS);
    }
  }

  /** Returns the body, or undefined if the request failed. A browser sends these headers, and `fetch` of Node cannot. */
  async #get(url: string, headers: Record<string, string> = {}): Promise<string | undefined> {
    this.requestCount++;
    try {
      const { status, body } = await new Promise<{ status: number; body: string }>(
        (resolve, reject) => {
          const sent = request(url, { agent: this.#agent, headers });
          sent.on('response', (response) => {
            const status = response.statusCode ?? 0;
            text(response).then((body) => resolve({ status, body }), reject);
          });
          sent.on('error', reject).end();
        },
      );
      if (status === 200) return body;
      this.failures.push(`${status} ${body.slice(0, 200)}`);
    } catch (error) {
      this.failures.push(String(error));
    }
    return undefined;
  }
}
