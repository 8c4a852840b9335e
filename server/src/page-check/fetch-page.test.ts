import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Problem } from '@cloche/contract/problem';
import { generate } from 'selfsigned';
import { LOOPBACK_FETCHING, openPageServer, parseRanges } from '../../testing/page-server.ts';
import { type FetchPageOptions, fetchPage } from './fetch-page.ts';
import { parsePageUrl } from './page-url.ts';

const HTML = { 'content-type': 'text/html' };
/** Tests of time limits do not wait for the limit of the product. */
const SHORT_MS = 300;

async function fetchFrom(url: string, options: Partial<FetchPageOptions> = {}) {
  const all = { ...LOOPBACK_FETCHING, userAgent: 'test', timeoutMs: 120_000, ...options };
  return fetchPage(parsePageUrl(url), all, new AbortController().signal);
}

async function assertProblem(promise: Promise<unknown>, code: string, reason?: string) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code, error.message);
    if (reason !== undefined) assert.equal(error.reason, reason);
    assert.doesNotMatch(error.message, /127\.0|ECONN|ENOTFOUND|socket/);
    return true;
  });
}

/** Opens a page at `/`, and returns its URL. */
async function openPage(t: TestContext, handle: RequestListener): Promise<string> {
  return `${(await openPageServer(t, handle)).origin}/`;
}

test('a page is fetched without cookies and credentials', async (t) => {
  let sent: object = {};
  const url = await openPage(t, ({ headers }, response) => {
    sent = headers;
    response.writeHead(200, { ...HTML, 'x-frame': 'a' }).end('<p>Grüße</p>');
  });
  const page = await fetchFrom(`${url}#part`, { userAgent: 'Cloche-Page-Check/1' });
  assert.equal(page.url.href, url);
  assert.deepEqual(page.headers.get('x-frame'), ['a']);
  assert.deepEqual(sent, {
    host: new URL(url).host,
    connection: 'close',
    'user-agent': 'Cloche-Page-Check/1',
    accept: 'text/html',
    'accept-encoding': 'gzip, br',
  });
});

test('text is decoded as browsers decode it', async (t) => {
  const rows: [type: string, body: Buffer, text: string][] = [
    ['text/html; charset=utf-8', Buffer.from('ü'), 'ü'],
    ['text/html; charset="ISO-8859-1"', Buffer.from([0xfc]), 'ü'],
    ['text/html', Buffer.from([0xfc]), 'ü'],
    ['text/html', Buffer.from('<meta charset=utf-8>ü'), '<meta charset=utf-8>ü'],
    ['text/html; charset=nonsense', Buffer.from([0xfc]), 'ü'],
    ['text/html; charset=iso-8859-1', Buffer.from('\ufeffü'), 'ü'],
    ['application/xhtml+xml', Buffer.from('\ufeffü', 'utf16le'), 'ü'],
  ];
  const url = await openPage(t, ({ url: path }, response) => {
    const [type = '', body] = rows[Number(path?.slice(1))] ?? [];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  for (const [index, [type, , text]] of rows.entries())
    assert.equal((await fetchFrom(`${url}${index}`)).text, text, type);
});

test('compressed pages are read', async (t) => {
  const encoders = { gzip: gzipSync, br: brotliCompressSync, identity: (text: string) => text };
  const url = await openPage(t, ({ url: path = '' }, response) => {
    const encoding = path.slice(1) as keyof typeof encoders;
    response.writeHead(200, { ...HTML, 'content-encoding': encoding });
    response.end(encoders[encoding]('<p>'.repeat(1000)));
  });
  for (const encoding of Object.keys(encoders))
    assert.equal((await fetchFrom(url + encoding)).text.length, 3000, encoding);
});

test('page.private-address: no connection to an address that is not public', async (t) => {
  const server = await openPageServer(t, (_request, response) => response.end());
  const answers: (readonly string[])[] = [
    ['127.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['fe80::1'],
    [],
    ['not an address'],
  ];
  for (const addresses of answers) {
    const options = { allowedAddresses: [], resolve: async () => addresses };
    await assertProblem(fetchFrom('http://shop.example/', options), 'page.private-address');
  }
  const hosts = ['localhost', 'api.localhost', '127.0.0.1', '[::1]', '2130706433', 'none.invalid'];
  for (const host of hosts) {
    const options = { allowedAddresses: [], userAgent: 'test' };
    const url = parsePageUrl(`http://${host}:${server.port}/`);
    const fetched = fetchPage(url, options, new AbortController().signal);
    await assertProblem(fetched, 'page.private-address');
  }
  assert.equal(server.requestCount(), 0);
});

test('page.private-address: a redirect to a private address, in many notations', async (t) => {
  const url = await openPage(t, ({ url: path = '' }, response) => {
    response.writeHead(302, { location: decodeURIComponent(path.slice(1)) }).end();
  });
  const options = {
    allowedAddresses: parseRanges('127.0.0.1'),
    resolve: async (host: string) => [host === 'shop.example' ? '127.0.0.1' : '127.0.0.2'],
  };
  const hosts = ['127.0.0.2', '2130706434', '0x7f.2', '[::1]', '[::ffff:127.0.0.2]', '10.0.0.1'];
  for (const host of [...hosts, '169.254.169.254', '0', 'localhost', 'evil.example']) {
    const target = encodeURIComponent(`http://${host}/`);
    await assertProblem(fetchFrom(url + target, options), 'page.private-address');
  }
});

test('the host is resolved once for each request, and the second answer has no effect', async (t) => {
  const url = await openPage(t, (_request, response) => response.writeHead(200, HTML).end('first'));
  const answers = [['127.0.0.1'], ['169.254.169.254']];
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return answers[asked.length - 1] ?? [];
  };
  assert.equal((await fetchFrom(url, { resolve })).text, 'first');
  assert.deepEqual(asked, ['shop.example']);
  await assertProblem(fetchFrom(url, { resolve }), 'page.private-address');
});

test('page.url: other schemes, credentials, and redirects to them', async (t) => {
  const url = await openPage(t, ({ url: path = '' }, response) => {
    response.writeHead(301, { location: decodeURIComponent(path.slice(1)) }).end();
  });
  const rows: [url: string, reason: string][] = [
    ['file:///etc/passwd', 'scheme'],
    ['ftp://shop.example/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['gopher://shop.example/', 'scheme'],
    ['http://user:password@shop.example/', 'credentials'],
    ['http://user@shop.example/', 'credentials'],
    ['http://', 'malformed'],
    [`http://shop.example/${'a'.repeat(2000)}`, 'malformed'],
  ];
  for (const [target, reason] of rows) {
    await assertProblem(fetchFrom(target), 'page.url', reason);
    await assertProblem(fetchFrom(url + encodeURIComponent(target)), 'page.url', reason);
  }
});

test('redirects: up to five are followed', async (t) => {
  const url = await openPage(t, ({ url: path = '' }, response) => {
    const left = Number(path.slice(1));
    if (left === 0) response.writeHead(200, HTML).end('end');
    else response.writeHead(308, { location: `/${left - 1}` }).end();
  });
  const page = await fetchFrom(`${url}5`);
  assert.equal(page.redirects.length, 5);
  assert.equal(page.text, 'end');
  await assertProblem(fetchFrom(`${url}6`), 'page.redirects');
});

test('page.redirects: a loop', async (t) => {
  const url = await openPage(t, (_request, response) =>
    response.writeHead(302, { location: '/' }).end(),
  );
  await assertProblem(fetchFrom(url), 'page.redirects');
});

test('page.too-large: a body, a compressed body, and headers without end', async (t) => {
  const large = Buffer.alloc(200 * 1024 * 1024);
  const bombs: Record<string, Buffer> = { gzip: gzipSync(large), br: brotliCompressSync(large) };
  const url = await openPage(t, ({ url: path = '' }, response) => {
    const bomb = bombs[path.slice(1)];
    response.writeHead(200, { ...HTML, ...(bomb && { 'content-encoding': path.slice(1) }) });
    if (bomb) response.end(bomb);
    else response.end(Buffer.alloc(3 * 1024 * 1024));
  });
  for (const path of ['', 'gzip', 'br'])
    await assertProblem(fetchFrom(url + path), 'page.too-large', 'body');

  const server = createServer((socket) => {
    const timer = setInterval(() => socket.write(`X-A: ${'a'.repeat(1000)}\r\n`), 1);
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('error', () => {}).on('close', () => clearInterval(timer));
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await assertProblem(fetchFrom(`http://shop.example:${port}/`), 'page.too-large', 'headers');
});

test('page.timeout: no response, a slow body, and a DNS server that does not answer', async (t) => {
  const url = await openPage(t, ({ url: path }, response) => {
    if (path !== '/slow') return;
    response.writeHead(200, HTML);
    const timer = setInterval(() => response.write('a'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const options = { timeoutMs: SHORT_MS };
  await assertProblem(fetchFrom(url, options), 'page.timeout');
  await assertProblem(fetchFrom(`${url}slow`, options), 'page.timeout');
  const resolve = () => new Promise<string[]>(() => {});
  await assertProblem(fetchFrom(url, { ...options, resolve }), 'page.timeout');
});

test('the request ends when nobody waits for it any more', async (t) => {
  const closed = Promise.withResolvers<void>();
  const controller = new AbortController();
  const url = await openPage(t, (request) => {
    request.on('close', () => closed.resolve());
    controller.abort(new Error('gone'));
  });
  const options = { ...LOOPBACK_FETCHING, userAgent: 'test' };
  await assert.rejects(fetchPage(parsePageUrl(url), options, controller.signal), /gone/);
  await closed.promise;
});

test('page.not-html, page.status, page.unreachable', async (t) => {
  const url = await openPage(t, ({ url: path }, response) => {
    if (path === '/pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end('a');
    if (path === '/none') response.writeHead(200).end('a');
    if (path === '/login') response.writeHead(401, HTML).end('a');
    if (path === '/zstd') response.writeHead(200, { ...HTML, 'content-encoding': 'zstd' }).end('a');
    if (path === '/broken')
      response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end('not gzip');
    if (path === '/cut') {
      response.writeHead(200, { ...HTML, 'content-length': 100 }).write('a');
      setImmediate(() => response.destroy());
    }
  });
  await assertProblem(fetchFrom(`${url}pdf`), 'page.not-html');
  await assertProblem(fetchFrom(`${url}none`), 'page.not-html');
  await assertProblem(fetchFrom(`${url}login`), 'page.status');
  await assertProblem(fetchFrom(`${url}zstd`), 'page.unreachable', 'encoding');
  await assertProblem(fetchFrom(`${url}broken`), 'page.unreachable');
  await assertProblem(fetchFrom(`${url}cut`), 'page.unreachable', 'connection');
  const closing = createServer((socket) => socket.destroy());
  closing.listen(0, '127.0.0.1');
  t.after(() => closing.close());
  await once(closing, 'listening');
  const { port } = closing.address() as { port: number };
  await assertProblem(fetchFrom(`http://shop.example:${port}/`), 'page.unreachable', 'connection');
});

test('page.unreachable: a server that switches to another protocol', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n',
    );
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await assertProblem(fetchFrom(`http://shop.example:${port}/`), 'page.unreachable', 'connection');
});

test('https: the certificate is checked', async (t) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'shop.example' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'shop.example' }] }],
  } as never);
  const handle: RequestListener = (_request, response) => response.writeHead(200, HTML).end('safe');
  const { origin, port } = await openPageServer(t, handle, { key, cert });
  assert.equal((await fetchFrom(`${origin}/`, { ca: cert })).text, 'safe');
  await assertProblem(fetchFrom(`${origin}/`), 'page.unreachable', 'certificate');
  const other = fetchFrom(`https://other.example:${port}/`, { ca: cert });
  await assertProblem(other, 'page.unreachable', 'certificate');
});
