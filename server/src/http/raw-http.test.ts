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

/** Sends bytes over a new connection and returns the first response. */
async function sendRaw(
  t: TestContext,
  service: TestServer,
  bytes: string | Buffer,
): Promise<RawResponse | undefined> {
  return (await RawConnection.open(t, service)).write(bytes).readResponse();
}

function assertProblem(response: RawResponse | undefined, status: number, code: string): void {
  assert.equal(response?.status, status, response?.body);
  assert.equal(response?.headers['content-type'], PROBLEM_CONTENT_TYPE);
  assert.equal(JSON.parse(response?.body ?? '').code, code);
}

test('400: a request must have exactly one Host header', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const { host } = new URL(service.origin);
  for (const lines of [
    `Host: ${host}\r\nHost: ${host}`,
    `Host: ${host}\r\nHOST: evil.example`,
    `Host: evil.example\r\nHost: ${host}`,
    'X: y',
  ]) {
    const response = await sendRaw(t, service, `GET /v1/tokens HTTP/1.1\r\n${lines}\r\n\r\n`);
    assertProblem(response, 400, 'request.ambiguous-host');
  }
});

test('200 and 421: all loopback names count as the same host, if the port matches', async (t) => {
  const service = await openTestServer(t, { listen: true, publicUrl: 'http://localhost:8787' });
  const cases: [host: string, status: number][] = [
    ['localhost:8787', 200],
    ['127.0.0.1:8787', 200],
    ['[::1]:8787', 200],
    ['LOCALHOST:8787', 200],
    ['localhost:8788', 421],
    ['localhost', 421],
    ['evil.example:8787', 421],
  ];
  for (const [Host, status] of cases) {
    const response = await sendRaw(
      t,
      service,
      formatRequestHead(service, 'GET /v1/tokens', { Host }),
    );
    assert.equal(response?.status, status, Host);
  }
});

test('200 and 421: the host in an absolute request target takes precedence over Host', async (t) => {
  const service = await openTestServer(t, { listen: true, publicUrl: 'https://cloche.example' });
  const Host = 'cloche.example';
  const cases: [target: string, host: string, status: number][] = [
    ['http://cloche.example/v1/tokens', Host, 200],
    ['https://CLOCHE.example:443/v1/tokens?limit=1', Host, 200],
    ['HTTPS://cloche.example/v1/tokens', 'evil.example', 200],
    ['http://evil.example/v1/tokens', Host, 421],
    ['HTTP://evil.example/v1/tokens', Host, 421],
    ['http://evil.example', Host, 421],
    ['http://evil.example?http://cloche.example/v1/tokens', Host, 421],
    ['http://cloche.example@evil.example/v1/tokens', Host, 421],
    ['http://cloche.example:8443/v1/tokens', Host, 421],
    ['/v1/tokens', 'evil.example', 421],
    ['//cloche.example/v1/tokens', 'evil.example', 421],
    ['/v1/tokens', 'cloche.example:443', 200],
  ];
  for (const [target, host, status] of cases) {
    const head = formatRequestHead(service, `GET ${target}`, { Host: host });
    assert.equal((await sendRaw(t, service, head))?.status, status, `${target}, Host: ${host}`);
  }
});

const POST = 'POST /v1/tokens HTTP/1.1';
const CHUNKED = 'Transfer-Encoding: chunked';
const LENGTH_5 = 'Content-Length: 5';
const malformedRequests: [reason: string, text: string][] = [
  ['text that is not HTTP', 'hello\r\n\r\n'],
  ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['a space in the address', 'GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an unknown HTTP version', 'GET /livez HTTP/3.0\r\nHost: x\r\n\r\n'],
  ['a header without colon', 'GET /livez HTTP/1.1\r\nHost x\r\n\r\n'],
  ['a folded header', 'GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
  ['a space before the colon', 'GET /livez HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['a bare line feed', `${POST}\nHost: x\n${LENGTH_5}\n\n`],
  ['a null in a header', 'GET /livez HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
  [
    'Content-Length and Transfer-Encoding',
    `${POST}\r\nHost: x\r\n${LENGTH_5}\r\n${CHUNKED}\r\n\r\n0\r\n\r\n`,
  ],
  [
    'Transfer-Encoding and Content-Length',
    `${POST}\r\nHost: x\r\n${CHUNKED}\r\n${LENGTH_5}\r\n\r\n0\r\n\r\n`,
  ],
  [
    'two Content-Length headers',
    `${POST}\r\nHost: x\r\n${LENGTH_5}\r\nContent-Length: 6\r\n\r\nhello!`,
  ],
  ['a list of lengths', `${POST}\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello`],
  ['a signed length', `${POST}\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello`],
  ['a negative length', `${POST}\r\nHost: x\r\nContent-Length: -5\r\n\r\nhello`],
  ['a length in hex', `${POST}\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello`],
  ['chunked, not last', `${POST}\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
];

test('400: after a malformed request the connection is closed', async (t) => {
  const service = await openTestServer(t, { listen: true });
  for (const [reason, text] of malformedRequests) {
    await t.test(reason, async (t) => {
      const connection = (await RawConnection.open(t, service)).write(text);
      const response = await connection.readResponse();
      assertProblem(response, 400, 'request.malformed');
      assert.equal(response?.headers.connection, 'close');
      assert.equal(await connection.readResponse(), undefined, 'no further response');
    });
  }
});

test('after a body with an unknown transfer encoding, nothing is read as a request', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/tokens', {
      ...JSON_TYPE,
      'Transfer-Encoding': 'xchunked',
    }),
  );
  connection.write('0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.ok(Number((await connection.readResponse())?.status) >= 400);
  assert.equal(await connection.readResponse(), undefined);
});

test('400: a chunk with an invalid size ends the request and the connection', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }),
  );
  connection.write('2\r\n{}\r\nzz\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await connection.readResponse();
  assert.equal(response?.status, 400);
  assert.equal(await connection.readResponse(), undefined);
});

test('431: headers that are too large', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const cases: [name: string, headers: Record<string, string>][] = [
    ['one large header', { 'X-Large': 'a'.repeat(17 * 1024) }],
    [
      'many small headers',
      Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`X-${i}`, 'a'.repeat(20)])),
    ],
  ];
  for (const [name, headers] of cases) {
    const response = await sendRaw(
      t,
      service,
      formatRequestHead(service, 'GET /v1/tokens', headers),
    );
    assertProblem(response, 431, 'request.headers-too-large');
    assert.ok(response?.headers.connection === 'close', name);
  }
  const path = await sendRaw(t, service, formatRequestHead(service, `GET /${'a'.repeat(20_000)}`));
  assertProblem(path, 431, 'request.headers-too-large');
});

test('408: headers that arrive too slowly', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { headersMs: 100 } });
  const connection = await RawConnection.open(t, service);
  connection.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
  const interval = setInterval(() => connection.write('X: y\r\n'), 20);
  t.after(() => clearInterval(interval));
  const response = await connection.readResponse();
  assertProblem(response, 408, 'request.timeout');
});

test('408: a JSON body that arrives too slowly, even if bytes keep arriving', async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { jsonBodyMs: 100 } });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Content-Length': 100_000 }),
  );
  const interval = setInterval(() => connection.write(' '), 10);
  t.after(() => clearInterval(interval));
  assertProblem(await connection.readResponse(), 408, 'request.timeout');
});

test('413: a JSON body that is too large, with Content-Length or in chunks', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const bytes = Buffer.alloc(2 * 1024 * 1024, ' ');
  for (const [framing, headers] of [
    ['with Content-Length', { 'Content-Length': bytes.length }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ] as const) {
    const connection = await RawConnection.open(t, service);
    connection.write(formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, ...headers }));
    if (framing === 'in chunks') connection.write(`${bytes.length.toString(16)}\r\n`);
    connection.write(bytes);
    assertProblem(await connection.readResponse(), 413, 'request.too-large');
  }
});

test('a client that disconnects while sending a JSON body is not logged as an error', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await RawConnection.open(t, service);
  connection
    .write(formatRequestHead(service, 'POST /v1/tokens', { ...JSON_TYPE, 'Content-Length': 100 }))
    .write('{');
  connection.socket.end();
  await connection.readResponse();
  assert.equal(
    (await sendRaw(t, service, formatRequestHead(service, 'GET /v1/tokens')))?.status,
    200,
  );
  assert.ok(!service.logLines.join('').includes('"level":"error"'));
});

test('pipelined requests get one response each', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const connection = await RawConnection.open(t, service);
  connection.write(
    formatRequestHead(service, 'GET /v1/tokens') + formatRequestHead(service, 'GET /nothing'),
  );
  assert.equal((await connection.readResponse())?.status, 200);
  assert.equal((await connection.readResponse())?.status, 404);
});

test('401: a refused body is read to its end and not taken for the next request', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const smuggledRequest = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const connection = await RawConnection.open(t, service);
  const headers = { Authorization: 'none', ...JSON_TYPE, 'Content-Length': smuggledRequest.length };
  connection.write(formatRequestHead(service, 'POST /v1/tokens', headers)).write(smuggledRequest);
  connection.write(formatRequestHead(service, 'GET /nothing'));
  assert.equal((await connection.readResponse())?.status, 401);
  const next = await connection.readResponse();
  assert.ok(next === undefined || next.status === 404, JSON.stringify(next));
});

test('a connection is closed if an unread body does not arrive in time', {
  timeout: 120_000,
}, async (t) => {
  const service = await openTestServer(t, { listen: true, timeouts: { bodyDrainMs: 60 } });
  for (const [requestLine, status] of [
    ['GET /livez', 200],
    ['GET /embed/iframe/v1/x?token=y', 401],
    ['POST /%zz', 400],
  ] as const) {
    for (const body of [{ 'Content-Length': 5 }, { 'Transfer-Encoding': 'chunked' }]) {
      const connection = await RawConnection.open(t, service);
      connection.write(formatRequestHead(service, requestLine, { ...JSON_TYPE, ...body }));
      assert.equal((await connection.readResponse())?.status, status);
      assert.equal(await connection.readResponse(), undefined, 'closed');
    }
  }
});

test('a connection stays open if the body was read completely', async (t) => {
  const timeouts = { bodyDrainMs: 60, jsonBodyMs: 100 };
  const service = await openTestServer(t, { listen: true, timeouts });
  const connection = await RawConnection.open(t, service);
  for (let round = 0; round < 2; round += 1) {
    const headers = { ...JSON_TYPE, 'Content-Length': 2 };
    // They arrive together, so that even a slow machine reads the body in time.
    connection.write(`${formatRequestHead(service, 'POST /v1/tokens', headers)}{}`);
    assert.equal((await connection.readResponse())?.status, 400);
    await sleep(300);
  }
});
