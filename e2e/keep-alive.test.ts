import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../scripts/wait-until.ts';
import { ServiceProcess } from './service-process.ts';

const CLIENTS = 24;

describe('keep-alive clients during SIGTERM', () => {
  it('get a response to each request that they send, the last with Connection: close', async (t) => {
    const service = await ServiceProcess.open(t);
    const clients = Array.from({ length: CLIENTS }, () => new KeepAliveClient(service.origin));
    const finished = clients.map((client) => client.run());
    await waitUntil('every client to have responses', async () =>
      clients.every(({ responses }) => responses > 5),
    );
    assert.equal(await service.stop('SIGTERM'), 0);
    await Promise.all(finished);
    assert.deepEqual(
      clients.map(({ lastConnection, error }) => [lastConnection, error]),
      clients.map(() => ['close', 'ECONNREFUSED']),
    );
  });
});

/** Sends one request after the other over one connection, until a request fails. */
class KeepAliveClient {
  responses = 0;
  lastConnection: string | undefined;
  error: string | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(origin: string) {
    this.#url = `${origin.replace('localhost', '127.0.0.1')}/livez`;
  }

  async run(): Promise<void> {
    while (this.error === undefined) {
      try {
        const outgoing = request(this.#url, { agent: this.#agent }).end();
        const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
        await response.toArray();
        this.responses += 1;
        this.lastConnection = response.headers.connection;
        await sleep(20 * Math.random());
      } catch (error) {
        this.error = (error as NodeJS.ErrnoException).code;
      }
    }
    this.#agent.destroy();
  }
}
