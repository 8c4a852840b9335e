import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import {
  CREATE_TOKEN_REQUEST,
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';
import { generateTokenString } from '../tokens/token-string.ts';
import { AccessLogController } from './access-log.ts';
import { createLogger } from './logger.ts';

test('each response is one line with method, path, status and duration', async (t) => {
  const service = await openTestServer(t);
  await sendRequest(service, 'GET', '/v1/tokens?limit=1');
  assert.equal(service.logLines.length, 1);
  const { time, reqId, durationMs, ...fields } = JSON.parse(service.logLines[0] ?? '');
  assert.deepEqual(fields, {
    level: 'info',
    method: 'GET',
    path: '/v1/tokens',
    status: 200,
    msg: 'request',
  });
  assert.equal(new Date(time).toISOString(), time);
  assert.match(reqId, /^[\w-]{8}-[0-9a-z]+$/);
  assert.equal(typeof durationMs, 'number');
});

test('an aborted response is one line with aborted: true', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': 100 };
  const connection = await RawConnection.open(t, service);
  const requested = once(service.app.server, 'request');
  connection.write(formatRequestHead(service, 'POST /v1/tokens', headers)).write('{');
  await requested;
  connection.socket.destroy();
  const isLogged = () => service.logLines.some((line) => JSON.parse(line).aborted);
  await waitUntil('the line', isLogged);
  const entries = service.logLines.map((line) => JSON.parse(line));
  assert.deepEqual(
    entries
      .filter(({ aborted }) => aborted)
      .map(({ method, path, status }) => [method, path, status]),
    [['POST', '/v1/tokens', null]],
  );
});

test('requests that fail before routing, and unknown routes, are logged once each', async (t) => {
  const service = await openTestServer(t);
  const urls = ['/%zz', '/nothing', `/v1/tokens/${'a-'.repeat(150)}`, '/long?'.padEnd(600, 'x')];
  for (const url of urls) await sendRequest(service, 'GET', url);
  const entries = service.logLines.map((line) => JSON.parse(line));
  assert.deepEqual(
    entries.map(({ path, status }) => [path, status]),
    [
      ['/%zz', 400],
      ['/nothing', 404],
      [urls[2]?.slice(0, 200), 404],
      ['/long', 404],
    ],
  );
});

test('a write after the end of a response is logged and does not end the process', async (t) => {
  const lines: string[] = [];
  const log = createLogger('error', { write: (line) => void lines.push(line) });
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new AccessLogController(log),
  });
  app.get('/', (_request, reply) => {
    reply.hijack();
    reply.raw.end('one');
    reply.raw.end('two');
  });
  t.after(() => app.close());
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  assert.equal(await (await fetch(origin)).text(), 'one');
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /write after the end of a response/);
});

const percentEncode = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

async function sendTokenInUrls(service: TestServer, token: string, designId: string) {
  const spellings = [
    token,
    token.replaceAll('_', '%5F'),
    percentEncode(token),
    encodeURIComponent(percentEncode(token)),
    `%63${token.slice(1, 12)}${percentEncode(token.slice(12, 20))}${token.slice(20)}`,
  ];
  for (const text of spellings) {
    for (const url of [
      `/embed/iframe/v1/${designId}?token=${text}`,
      `/embed/iframe/v1/${text}?token=${text}`,
      `/embed/assets/${text}`,
      `/v1/tokens/${text}`,
      `/v1/tokens/${'x'.repeat(150)}${text}`,
      `/${text}`,
      `/%zz${text}`,
      `/?${text}`,
    ]) {
      const headers = { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/${text}` };
      await service.app.inject({ url, headers });
      await sendRequest(service, 'GET', url);
    }
  }
}

async function sendTokenInBodies(service: TestServer, token: string) {
  const bodies = [{ token }, { [token]: 1 }, { name: token }, [token], { uri: token }];
  for (const url of ['/v1/tokens', '/v1/tokens/check', '/embed/iframe/v1']) {
    for (const body of bodies) await sendRequest(service, 'POST', url, body);
    await sendRequest(service, 'POST', url, `{"token":"${token}`);
  }
}

async function sendTokenInHeaders(service: TestServer, token: string) {
  for (const headers of [
    { authorization: `Bearer ${token}`, origin: SHOP_ORIGIN },
    { authorization: `Bearer ${token}`, origin: token },
    { authorization: token },
    { cookie: token, 'user-agent': token, 'x-forwarded-for': token },
    { 'idempotency-key': token, authorization: `Bearer ${service.token}` },
  ]) {
    await service.app.inject({
      method: 'POST',
      url: '/v1/tokens',
      headers: { ...HOST_HEADER, 'content-type': 'application/json', ...headers },
      payload: CREATE_TOKEN_REQUEST,
    });
  }
}

test('no log line contains a token, wherever a client sends one', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const issued = await issueToken(service);
  const database = connectToServerDatabase(t, service);
  const tokens = [service.token, issued.token, generateTokenString('secret')];
  for (const token of tokens) {
    await sendTokenInUrls(service, token, design.id);
    await sendTokenInBodies(service, token);
    await sendTokenInHeaders(service, token);
    // An internal error while the request with the token is processed.
    await database.exec('ALTER TABLE token RENAME TO away');
    await sendRequest(service, 'POST', '/v1/tokens', { ...CREATE_TOKEN_REQUEST, name: token });
    await database.exec('ALTER TABLE away RENAME TO token');
  }
  const { logLines } = service;
  assert.ok(logLines.join('').includes('"level":"error"'));
  assert.ok(logLines.length > 200);
  for (const token of tokens) {
    for (const line of logLines) {
      assert.ok(!line.includes(token.slice(10, 42)), line);
      assert.ok(!line.includes(token.slice(22, 42)), line);
      assert.ok(!line.toLowerCase().includes(percentEncode(token.slice(30, 36))), line);
    }
  }
});
