import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  formatRequestHead,
  RawConnection,
  type RawResponse,
} from '../../testing/raw-connection.ts';

const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Says something over a line of its own, and gives what comes back. */
async function sendRaw(
  t: TestContext,
  service: TestServer,
  bytes: string | Buffer,
): Promise<RawResponse | undefined> {
  return (await RawConnection.open(t, service)).write(bytes).readResponse();
}

function assertProblem(answer: RawResponse | undefined, status: number, code: string): void {
  assert.equal(answer?.status, status, answer?.body);
  assert.equal(answer?.headers['content-type'], PROBLEM_CONTENT_TYPE);
  assert.equal(JSON.parse(answer?.body ?? '').code, code);
}

test('400: a request has one Host header, not two and not none', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const { host } = new URL(service.origin);
  for (const lines of [
    `Host: ${host}\r\nHost: ${host}`,
    `Host: ${host}\r\nHOST: evil.example`,
    `Host: evil.example\r\nHost: ${host}`,
    'X: y',
  ]) {
    const answer = await sendRaw(t, service, `GET /v1/tokens HTTP/1.1\r\n${lines}\r\n\r\n`);
    assertProblem(answer, 400, 'request.ambiguous-host');
  }
});

test('the loopback names count as one, with the port', async (t) => {
  const service = await openTestServer(t, { listen: true, publicUrl: 'http://localhost:8787' });
  const rows: [host: string, status: number][] = [
    ['localhost:8787', 200],
    ['127.0.0.1:8787', 200],
    ['[::1]:8787', 200],
    ['LOCALHOST:8787', 200],
    ['localhost:8788', 421],
    ['localhost', 421],
    ['evil.example:8787', 421],
  ];
  for (const [Host, status] of rows) {
    const answer = await sendRaw(
      t,
      service,
      formatRequestHead(service, 'GET /v1/tokens', { Host }),
    );
    assert.equal(answer?.status, status, Host);
  }
});

const POST = 'POST /v1/tokens HTTP/1.1';
const chunked = 'Transfer-Encoding: chunked';
const five = 'Content-Length: 5';
const malformedRequests: [why: string, text: string][] = [
  ['nonsense', 'hello\r\n\r\n'],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['a space in the address', 'GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a version to come', 'GET /livez HTTP/3.0\r\nHost: x\r\n\r\n'],
  ['a header without colon', 'GET /livez HTTP/1.1\r\nHost x\r\n\r\n'],
  ['a folded header', 'GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
  ['a space before the colon', 'GET /livez HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['a bare line feed', `${POST}\nHost: x\n${five}\n\n`],
  ['a null in a header', 'GET /livez HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
  ['both lengths', `${POST}\r\nHost: x\r\n${five}\r\n${chunked}\r\n\r\n0\r\n\r\n`],
  ['both lengths, turned', `${POST}\r\nHost: x\r\n${chunked}\r\n${five}\r\n\r\n0\r\n\r\n`],
  ['two lengths', `${POST}\r\nHost: x\r\n${five}\r\nContent-Length: 6\r\n\r\nhello!`],
  ['a list of lengths', `${POST}\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello`],
  ['a signed length', `${POST}\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello`],
  ['a negative length', `${POST}\r\nHost: x\r\nContent-Length: -5\r\n\r\nhello`],
  ['a length in hex', `${POST}\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello`],
  ['chunked, not last', `${POST}\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
];

test('400: what cannot be read as one request is answered and the line cut', async (t) => {
  const service = await openTestServer(t, { listen: true });
  for (const [why, text] of malformedRequests) {
    await t.test(why, async (t) => {
      const line = (await RawConnection.open(t, service)).write(text);
      const answer = await line.readResponse();
      assertProblem(answer, 400, 'request.malformed');
      assert.equal(answer?.headers.connection, 'close');
      assert.equal(await line.readResponse(), undefined, 'nothing is answered after it');
    });
  }
});

test('after a body whose end nobody knows, nothing is read as a request', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/tokens', {
      ...JSON_TYPE,
      'Transfer-Encoding': 'xchunked',
    }),
  );
  line.write('0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.ok(Number((await line.readResponse())?.status) >= 400);
  assert.equal(await line.readResponse(), undefined);
});

test('400: a chunk with a broken size ends the request, and the line', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }),
  );
  line.write('2\r\n{}\r\nzz\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  const answer = await line.readResponse();
  assert.equal(answer?.status, 400);
  assert.equal(await line.readResponse(), undefined);
});

test('431: headers that do not end', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const rows: [what: string, headers: Record<string, string>][] = [
    ['one large header', { 'X-Large': 'a'.repeat(17 * 1024) }],
    [
      'many small ones',
      Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`X-${i}`, 'a'.repeat(20)])),
    ],
  ];
  for (const [what, headers] of rows) {
    const answer = await sendRaw(t, service, formatRequestHead(service, 'GET /v1/tokens', headers));
    assertProblem(answer, 431, 'request.headers-too-large');
    assert.ok(answer?.headers.connection === 'close', what);
  }
  const path = await sendRaw(t, service, formatRequestHead(service, `GET /${'a'.repeat(20_000)}`));
  assertProblem(path, 431, 'request.headers-too-large');
});

test('408: headers that drip are cut off', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { headersMs: 100 } });
  const line = await RawConnection.open(t, service);
  line.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
  const drip = setInterval(() => line.write('X: y\r\n'), 20);
  t.after(() => clearInterval(drip));
  const answer = await line.readResponse();
  assertProblem(answer, 408, 'request.timeout');
});

test('408: a JSON body that drips is cut off, however lively it drips', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { jsonBodyMs: 100 } });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Content-Length': 100_000 }),
  );
  const drip = setInterval(() => line.write(' '), 10);
  t.after(() => clearInterval(drip));
  assertProblem(await line.readResponse(), 408, 'request.timeout');
});

test('413: a JSON body without end, announced or not', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = Buffer.alloc(2 * 1024 * 1024, ' ');
  for (const [how, headers] of [
    ['announced', { 'Content-Length': bytes.length }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ] as const) {
    const line = await RawConnection.open(t, service);
    line.write(formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, ...headers }));
    if (how === 'in chunks') line.write(`${bytes.length.toString(16)}\r\n`);
    line.write(bytes);
    assertProblem(await line.readResponse(), 413, 'request.too-large');
  }
});

test('a client that hangs up within a JSON body is no failure of ours', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const line = await RawConnection.open(t, service);
  line
    .write(formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Content-Length': 100 }))
    .write('{');
  line.socket.end();
  await line.readResponse();
  assert.equal(
    (await sendRaw(t, service, formatRequestHead(service, 'GET /v1/tokens')))?.status,
    200,
  );
  assert.ok(!service.logLines.join('').includes('"level":"error"'));
});

test('two requests on one line get two answers, also when sent together', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const line = await RawConnection.open(t, service);
  line.write(
    formatRequestHead(service, 'GET /v1/tokens') + formatRequestHead(service, 'GET /nothing'),
  );
  assert.equal((await line.readResponse())?.status, 200);
  assert.equal((await line.readResponse())?.status, 404);
});

test('a refused body is read to its end, so that the next request is one', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const smuggled = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const line = await RawConnection.open(t, service);
  const headers = { Authorization: 'none', ...JSON_TYPE, 'Content-Length': smuggled.length };
  line.write(formatRequestHead(service, 'POST /v1/tokens', headers)).write(smuggled);
  line.write(formatRequestHead(service, 'GET /nothing'));
  assert.equal((await line.readResponse())?.status, 401);
  const next = await line.readResponse();
  assert.ok(next === undefined || next.status === 404, JSON.stringify(next));
});

test('a body that nobody asked for does not hold its line', { timeout: 30_000 }, async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { bodyDrainMs: 60 } });
  for (const [ask, status] of [
    ['GET /livez', 200],
    ['GET /embed/iframe/v1/x?token=y', 401],
    ['POST /%zz', 400],
  ] as const) {
    for (const body of [{ 'Content-Length': 5 }, { 'Transfer-Encoding': 'chunked' }]) {
      const line = await RawConnection.open(t, service);
      line.write(formatRequestHead(service, ask, { ...JSON_TYPE, ...body }));
      assert.equal((await line.readResponse())?.status, status);
      assert.equal(await line.readResponse(), undefined, 'cut');
    }
  }
});

test('a line with nothing left of a body stays open', async (t) => {
  const timeouts = { restMs: 60, jsonBodyMs: 100 };
  const service = await openTestServer(t, { listen: true, timeouts });
  const line = await RawConnection.open(t, service);
  for (let round = 0; round < 2; round += 1) {
    const headers = { ...JSON_TYPE, 'Content-Length': 2 };
    line.write(formatRequestHead(service, 'POST /v1/tokens', headers)).write('{}');
    assert.equal((await line.readResponse())?.status, 400);
    await sleep(300);
  }
});
