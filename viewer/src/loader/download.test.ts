import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { download } from './download.ts';

function problemResponse(status: number, code: string, detail: string): Response {
  const headers = { 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify({ status, code, detail }), { status, headers });
}

function chunkedResponse(...pieces: (number[] | Error)[]): Response {
  const left = [...pieces];
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else if (piece instanceof Error) controller.error(piece);
        else controller.enqueue(new Uint8Array(piece));
      },
    }),
  );
}

describe('a download', () => {
  const lengths: [why: string, expected: number][] = [
    ['as long as promised', 5],
    ['longer than promised', 2],
    ['shorter than promised', 50],
    ['with nothing promised', 0],
  ];
  for (const [why, expected] of lengths) {
    it(`keeps all bytes of an answer ${why}`, async () => {
      const answer = Promise.resolve(chunkedResponse([1, 2], [3], [4, 5]));
      assert.deepEqual(
        [...new Uint8Array(await download(answer, expected, () => {}))],
        [1, 2, 3, 4, 5],
      );
    });
  }

  it('tells how far it is, and never more than all', async () => {
    const told: number[] = [];
    await download(Promise.resolve(chunkedResponse([1, 2], [3, 4], [5])), 4, (share) =>
      told.push(share),
    );
    assert.deepEqual(told, [0.5, 1, 1]);
  });

  const failures: [
    why: string,
    answer: () => Promise<Response>,
    kind: ViewerErrorCode,
    words?: string,
  ][] = [
    ['no line', () => Promise.reject(new TypeError('Failed to fetch')), 'offline'],
    ['a line that breaks', async () => chunkedResponse([1], new Error('reset')), 'interrupted'],
    ['a stale grant', async () => problemResponse(403, 'embed.grant', 'hmac'), 'grant-expired'],
    [
      'another site',
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
      'a service down',
      async () => problemResponse(503, 'server.unavailable', 'Soon.'),
      'unavailable',
      'Soon.',
    ],
    [
      'a proxy that knows no problems',
      async () => new Response('<h1>502', { status: 502 }),
      'unavailable',
    ],
  ];
  for (const [why, answer, kind, words] of failures) {
    it(`says of ${why}: ${kind}`, async () => {
      await assert.rejects(
        download(answer(), 4, () => {}),
        (error) => {
          assert.ok(error instanceof ViewerError);
          assert.equal(error.code, kind);
          if (words !== undefined) assert.equal(error.message, words);
          return true;
        },
      );
    });
  }
});
