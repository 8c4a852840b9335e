import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { waitUntil } from '../../scripts/wait-until.ts';
import type { TestServer } from './harness.ts';
import { sendRequest } from './requests.ts';

type StreamEvent = { name: string; data: Record<string, unknown> };

/** An open stream of the changes of all designs. */
export type ListEventStream = {
  /** All events so far. */
  events: StreamEvent[];
  hasEnded(): boolean;
  /** Waits for an event. */
  waitFor(what: string, isExpected: (event: StreamEvent) => boolean): Promise<void>;
};

/** Opens GET /v1/designs/events. */
export async function openListEvents(
  t: TestContext,
  service: Pick<TestServer, 'app' | 'token'>,
  headers: Record<string, string> = {},
): Promise<ListEventStream> {
  const response = await service.app.inject({
    url: '/v1/designs/events',
    headers: { host: 'cloche.test', authorization: `Bearer ${service.token}`, ...headers },
    payloadAsStream: true,
  });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const events: StreamEvent[] = [];
  let text = '';
  let ended = false;
  const stream = response.stream();
  t.after(() => stream.destroy());
  stream.on('end', () => {
    ended = true;
  });
  stream.on('data', (chunk) => {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (name !== undefined && data !== undefined) events.push({ name, data: JSON.parse(data) });
    }
  });
  return {
    events,
    hasEnded: () => ended,
    async waitFor(what, isExpected) {
      await waitUntil(what, () => events.some(isExpected));
    },
  };
}

/** Deletes a design. */
export async function deleteDesign(service: TestServer, id: string): Promise<void> {
  const response = await sendRequest(service, 'DELETE', `/v1/designs/${id}`);
  assert.equal(response.statusCode, 204, response.body);
}
