import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestServer } from '../../testing/harness.ts';
import { formatRequestHead, RawConnection } from '../../testing/raw-connection.ts';
import {
  HOST_HEADER,
  issueToken,
  openServerDatabase,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { generateTokenString } from '../tokens/token-string.ts';
import { createResponseErrorHook, redactTokens } from './logger.ts';

const percentEncode = (text: string) =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');

test('whatever holds a token loses it', () => {
  for (const kind of ['public', 'secret'] as const) {
    const token = generateTokenString(kind);
    const random = token.slice(10);
    const texts = [
      token,
      `"${token}"`,
      `?token=${token}&x=1`,
      `x${token}x`,
      token.replaceAll('_', '%5F'),
      token.replaceAll('_', '%5f'),
      token.toLowerCase(),
      token.slice(0, -1),
      token.slice(0, 20),
      random,
      `/${random}/`,
      `%63${token.slice(1)}`,
      `%5F${random}`,
    ];
    for (const text of texts) {
      const left = redactTokens(text);
      assert.match(left, /\[token\]/);
      assert.ok(!left.includes(random.slice(0, 8)), `${text} became ${left}`);
    }
  }
});

test('ids, addresses and words stay', () => {
  const texts = [
    'tok_3kTMd9Qx0aZ1bY2c usr_3kTMd9Qx0aZ1bY2c',
    '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55',
    `/embed/assets/${'0123456789abcdef'.repeat(4)}.glb`,
    'cloche://x cloche_test a_secret_token_was_used_in_a_browser',
  ];
  for (const text of texts) assert.equal(redactTokens(text), text);
});

test('wherever a client puts a token, no log line has it', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const shown = await issueToken(service);
  const other = generateTokenString('secret');
  const database = openServerDatabase(t, service);
  const json = { 'content-type': 'application/json' };
  for (const token of [service.token, shown.token, other]) {
    const spellings = [
      token,
      token.replaceAll('_', '%5F'),
      percentEncode(token),
      encodeURIComponent(percentEncode(token)),
      `%63${token.slice(1, 12)}${percentEncode(token.slice(12, 20))}${token.slice(20)}`,
    ];
    for (const text of spellings) {
      for (const url of [
        `/embed/iframe/v1/${design.id}?token=${text}`,
        `/embed/iframe/v1/${text}?token=${text}`,
        `/embed/assets/${text}`,
        `/v1/tokens/${text}`,
        `/v1/tokens/${'x'.repeat(150)}${text}`,
        `/${text}`,
        `/%zz${text}`,
        `/?${text}`,
      ]) {
        await service.app.inject({
          url,
          headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/${text}` },
        });
        await sendRequest(service, 'GET', url);
      }
    }
    const bodies = [{ token }, { [token]: 1 }, { name: token }, [token], { uri: token }];
    for (const url of ['/v1/tokens', '/v1/tokens/check', '/embed/iframe/v1']) {
      for (const body of bodies) await sendRequest(service, 'POST', url, body);
      await sendRequest(service, 'POST', url, `{"token":"${token}`);
    }
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
        headers: { ...HOST_HEADER, ...json, ...headers },
        payload: { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' },
      });
    }
    // And when we fail ourselves, with the token at hand.
    database.exec('ALTER TABLE token RENAME TO away');
    await sendRequest(service, 'POST', '/v1/tokens', {
      ...{ capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~', name: token },
    });
    database.exec('ALTER TABLE away RENAME TO token');
  }
  const { logLines } = service;
  assert.ok(logLines.join('').includes('"level":"error"'));
  assert.ok(logLines.length > 200);
  for (const token of [service.token, shown.token, other]) {
    for (const line of logLines) {
      assert.ok(!line.includes(token.slice(10, 42)), line);
      assert.ok(!line.includes(token.slice(22, 42)), line);
      assert.ok(!line.toLowerCase().includes(percentEncode(token.slice(30, 36))), line);
    }
  }
});

test('each answer is one line: what was asked, what came of it, how long it took', async (t) => {
  const service = await openTestServer(t);
  await sendRequest(service, 'GET', '/v1/tokens?limit=1');
  const line = JSON.parse(service.logLines.at(-1) ?? '');
  const { time, reqId, ms, ...rest } = line;
  assert.deepEqual(rest, {
    level: 'info',
    method: 'GET',
    path: '/v1/tokens',
    status: 200,
    msg: 'request',
  });
  assert.equal(new Date(time).toISOString(), time);
  assert.match(reqId, /^[\w-]{8}-[0-9a-z]+$/);
  assert.equal(typeof ms, 'number');
});

test('an answer that is cut off has its line, and says so', async (t) => {
  const service = await openTestServer(t, { listen: true });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': 100 };
  const line = await RawConnection.open(t, service);
  line.write(formatRequestHead(service, 'POST /v1/tokens', headers)).write('{');
  await sleep(200);
  line.socket.destroy();
  await sleep(200);
  const told = service.logLines.map((one) => JSON.parse(one)).filter(({ cut }) => cut);
  assert.deepEqual(
    told.map(({ method, path, status }) => [method, path, status]),
    [['POST', '/v1/tokens', null]],
  );
});

test('each address is told as its own, also when it was told before', async (t) => {
  const service = await openTestServer(t);
  const token = generateTokenString('secret');
  const addresses = Array.from({ length: 1100 }, (_, i) => `/nothing/${i}`);
  const long = `/long?${'x'.repeat(600)}`;
  const asked = [...addresses, '/nothing/7', `/${token}`, `/${token}`, long, long];
  for (const url of asked) await service.app.inject({ url, headers: HOST_HEADER });
  const paths = service.logLines.map((line) => JSON.parse(line).path);
  const told = ['/nothing/7', '/[token]', '/[token]', '/long', '/long'];
  assert.deepEqual(paths, [...addresses, ...told]);
});

test('an address that cannot be decoded has its line', async (t) => {
  const service = await openTestServer(t);
  await sendRequest(service, 'GET', '/%zz');
  const { path, status } = JSON.parse(service.logLines.at(-1) ?? '');
  assert.deepEqual([path, status], ['/%zz', 400]);
});

test('at the level warn only failures leave a line', async (t) => {
  const service = await openTestServer(t, { logLevel: 'warn' });
  await sendRequest(service, 'GET', '/v1/tokens');
  assert.deepEqual(service.logLines, []);
  openServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  await sendRequest(service, 'GET', '/v1/designs');
  assert.deepEqual(
    service.logLines.map((line) => JSON.parse(line).level),
    ['error'],
  );
});

test('what Fastify says by itself is logged', async (t) => {
  const service = await openTestServer(t, { listen: true });
  assert.match(service.logLines.join(''), /Server listening at/);
});

test('an answer that is written to after its end is told, and ends nothing', async (t) => {
  const told: unknown[] = [];
  const begin = createResponseErrorHook({ error: (facts: unknown) => void told.push(facts) });
  const server = createServer((request, raw) => {
    begin({ raw: request, url: '/', method: 'GET', id: '1' } as never, { raw });
    raw.end('one');
    raw.end('two');
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'one');
  assert.equal(told.length, 1);
});

test('500: the answer tells the number under which the log tells the rest', async (t) => {
  const service = await openTestServer(t);
  openServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  const answer = await sendRequest(service, 'GET', '/v1/designs');
  assert.equal(answer.statusCode, 500);
  assert.deepEqual(answer.json(), {
    type: '/docs/problems#server.failed',
    status: 500,
    code: 'server.failed',
    title: 'The service failed to handle the request.',
    detail:
      'Something failed on our side. The log has it under the id in the header X-Request-Id of this answer.',
  });
  const entries = service.logLines.map((line) => JSON.parse(line));
  const told = entries.find(({ level }) => level === 'error');
  assert.equal(told.reqId, answer.headers['x-request-id']);
  assert.match(told.err.message, /no such table/);
  assert.match(told.err.stack, /design-store\.ts/);
});
