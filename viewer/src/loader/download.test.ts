import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { download } from './download.ts';

function problemResponse(status: number, code: string, detail: string): Response {
  const headers = { 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify({ status, code, detail }), { status, headers });
}

function chunkedResponse(...chunks: (number[] | Error)[]): Response {
  const remaining = [...chunks];
  return new Response(
    new ReadableStream({
      pull(controller) {
        const chunk = remaining.shift();
        if (chunk === undefined) controller.close();
        else if (chunk instanceof Error) controller.error(chunk);
        else controller.enqueue(new Uint8Array(chunk));
      },
    }),
  );
}

describe('download', () => {
  const lengths: [name: string, expectedBytes: number][] = [
    ['as long as expected', 5],
    ['longer than expected', 2],
    ['shorter than expected', 50],
    ['of unknown length', 0],
  ];
  for (const [name, expectedBytes] of lengths) {
    it(`returns all bytes of a response ${name}`, async () => {
      const response = Promise.resolve(chunkedResponse([1, 2], [3], [4, 5]));
      const bytes = await download(response, expectedBytes, () => {});
      assert.deepEqual([...new Uint8Array(bytes)], [1, 2, 3, 4, 5]);
    });
  }

  const progress: [name: string, expectedBytes: number, events: [number, number][]][] = [
    [
      'as long as expected',
      5,
      [
        [2, 5],
        [4, 5],
        [5, 5],
      ],
    ],
    [
      'longer than expected',
      4,
      [
        [2, 4],
        [4, 4],
        [5, 5],
      ],
    ],
    [
      'shorter than expected',
      8,
      [
        [2, 8],
        [4, 8],
        [5, 8],
        [5, 5],
      ],
    ],
  ];
  for (const [name, expectedBytes, events] of progress) {
    it(`reports the progress of a response ${name}, which ends with all bytes`, async () => {
      const reported: [number, number][] = [];
      const response = Promise.resolve(chunkedResponse([1, 2], [3, 4], [5]));
      await download(response, expectedBytes, ({ loadedBytes, totalBytes }) =>
        reported.push([loadedBytes, totalBytes]),
      );
      assert.deepEqual(reported, events);
    });
  }

  const failures: [
    reason: string,
    respond: () => Promise<Response>,
    code: ViewerErrorCode,
    message?: string,
  ][] = [
    ['no connection', () => Promise.reject(new TypeError('Failed to fetch')), 'offline'],
    [
      'an interrupted connection',
      async () => chunkedResponse([1], new Error('reset')),
      'interrupted',
    ],
    [
      'an expired grant',
      async () => problemResponse(403, 'embed.grant', 'hmac'),
      'grant-expired',
      'hmac',
    ],
    [
      'a cross-site request',
      async () => problemResponse(403, 'embed.cross-site', 'Not yours.'),
      'refused',
      'Not yours.',
    ],
    [
      'a missing asset',
      async () => problemResponse(404, 'embed.asset', 'Gone.'),
      'refused',
      'Gone.',
    ],
    [
      'an unavailable service',
      async () => problemResponse(503, 'server.unavailable', 'Soon.'),
      'unavailable',
      'Soon.',
    ],
    [
      'an error page of a proxy',
      async () => new Response('<h1>502', { status: 502 }),
      'unavailable',
    ],
  ];
  for (const [reason, respond, code, message] of failures) {
    it(`${reason}: ${code}`, async () => {
      await assert.rejects(
        download(respond(), 4, () => {}),
        (error) => {
          assert.ok(error instanceof ViewerError);
          assert.equal(error.code, code);
          if (message !== undefined) assert.equal(error.advice, message);
          // What the service says is for the author of the page, not for the visitor.
          assert.ok(message === undefined || !`${error.title} ${error.text}`.includes(message));
          return true;
        },
      );
    });
  }

  const stalls: [reason: string, respond: () => Promise<Response>, code: ViewerErrorCode][] = [
    ['no response', () => new Promise(() => {}), 'offline'],
    [
      'a body that ends in the middle',
      async () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }),
        ),
      'interrupted',
    ],
  ];
  for (const [reason, respond, code] of stalls) {
    it(`fails if the connection delivers nothing more: ${reason}`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      let settled = false;
      const result = download(respond(), 4, () => {}).catch((error: unknown) => {
        settled = true;
        return error;
      });
      // The promises of the stream settle between the ticks.
      for (let second = 0; second < 29; second++) {
        await new Promise(setImmediate);
        t.mock.timers.tick(1000);
      }
      await new Promise(setImmediate);
      assert.equal(settled, false);
      t.mock.timers.tick(2000);
      const error = await result;
      assert.ok(error instanceof ViewerError);
      assert.equal(error.code, code);
    });
  }
});
