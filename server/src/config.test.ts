import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { readConfig } from './config.ts';
import { ConfigError } from './environment.ts';
import { DEFAULT_CLIENT_LIMITS } from './http/limits.ts';

const KEY = '0123456789abcdef'.repeat(4);

test('without settings, the service listens on the loopback address', () => {
  assert.deepEqual(readConfig({}), {
    port: 8787,
    host: '127.0.0.1',
    dataDirectory: resolve('data'),
    metrics: undefined,
    database: { kind: 'sqlite' },
    role: 'all',
    publicUrl: 'http://localhost:8787',
    formerOrigins: [],
    maxUploadBytes: 256 * 1024 * 1024,
    maxTextureSize: 2048,
    maxTriangles: 1_000_000,
    bootstrapTokenFile: undefined,
    grantKey: undefined,
    logLevel: 'info',
    shutdownTimeoutMs: 10_000,
    sandboxLevel: 'auto',
    workers: 'auto',
    browser: { kind: 'auto' },
    cdn: undefined,
    s3: undefined,
    cacheBytes: 2048 * 1024 ** 2,
    filesDirectory: undefined,
    trustedProxies: [],
    pageCheckAddresses: [],
    moveTarget: {
      databasePassword: undefined,
      s3Region: 'us-east-1',
      s3Key: undefined,
      s3Secret: undefined,
    },
    limits: DEFAULT_CLIENT_LIMITS,
    quotas: { bytes: 0, designs: 0 },
  });
});

/** `CLOCHE_MAX_UPLOADS_PER_TOKEN` is `limits.uploadsPerToken`. 0 turns a limit off. */
function toLimitCase(name: string): [string, string, string, unknown] {
  const field = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return [`CLOCHE_MAX_${name}`, '0', 'limits', { ...DEFAULT_CLIENT_LIMITS, [field]: 0 }];
}

const validCases: [name: string, value: string, field: string, expected: unknown][] = [
  ['CLOCHE_PORT', '1', 'port', 1],
  ['CLOCHE_WORKERS', '3', 'workers', 3],
  ['CLOCHE_PORT', ' 80 ', 'port', 80],
  ['CLOCHE_PORT', '9000', 'publicUrl', 'http://localhost:9000'],
  ['CLOCHE_HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['CLOCHE_DATA', '/srv/cloche', 'dataDirectory', '/srv/cloche'],
  ['CLOCHE_PUBLIC_URL', 'https://cloche.example', 'publicUrl', 'https://cloche.example'],
  ['CLOCHE_PUBLIC_URL', 'https://cloche.example/', 'publicUrl', 'https://cloche.example'],
  ['CLOCHE_PUBLIC_URL', 'https://Cloche.Example:8443', 'publicUrl', 'https://cloche.example:8443'],
  ['CLOCHE_PUBLIC_URL', 'http://[::1]:8787', 'publicUrl', 'http://[::1]:8787'],
  ['CLOCHE_PUBLIC_URL', 'https://cloche.example:443', 'publicUrl', 'https://cloche.example'],
  ['CLOCHE_FORMER_URLS', 'https://a.example', 'formerOrigins', ['https://a.example']],
  [
    'CLOCHE_FORMER_URLS',
    'https://A.example/, http://a.example:81',
    'formerOrigins',
    ['https://a.example', 'http://a.example:81'],
  ],
  ['CLOCHE_MAX_UPLOAD_MB', '4096', 'maxUploadBytes', 4096 * 1024 * 1024],
  ['CLOCHE_MAX_MB_PER_USER', '3', 'quotas', { bytes: 3 * 1024 ** 2, designs: 0 }],
  ['CLOCHE_MAX_DESIGNS_PER_USER', '3', 'quotas', { bytes: 0, designs: 3 }],
  ['CLOCHE_MAX_TEXTURE', '4096', 'maxTextureSize', 4096],
  ['CLOCHE_MAX_TRIANGLES', '50000000', 'maxTriangles', 50_000_000],
  ['CLOCHE_METRICS_PORT', '9464', 'metrics', { port: 9464, host: '127.0.0.1' }],
  ['CLOCHE_GRANT_KEY', KEY, 'grantKey', Buffer.from(KEY, 'hex')],
  ['CLOCHE_GRANT_KEY', KEY.toUpperCase(), 'grantKey', Buffer.from(KEY, 'hex')],
  ['CLOCHE_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ['CLOCHE_SHUTDOWN_TIMEOUT_SECONDS', '0', 'shutdownTimeoutMs', 0],
  ...[
    'REQUESTS_PER_MINUTE',
    'DOCUMENTS_PER_MINUTE',
    'FAILED_TOKENS_PER_MINUTE',
    'UPLOADS_PER_TOKEN',
    'CONNECTIONS',
    'CONNECTIONS_PER_ADDRESS',
  ].map(toLimitCase),
  ['CLOCHE_CHROMIUM', 'none', 'browser', { kind: 'none' }],
  ['CLOCHE_CHROMIUM', process.execPath, 'browser', { kind: 'path', path: process.execPath }],
];

for (const [name, value, field, expected] of validCases) {
  test(`${name}=${value.slice(0, 40)} is read`, () => {
    const config: Record<string, unknown> = readConfig({ [name]: value });
    assert.deepEqual(config[field], expected);
  });
}

// The message starts with the variable and contains part of the correction.
const invalidCases: [name: string, value: string, correction: string][] = [
  ['CLOCHE_PORT', '', 'leave it out'],
  ['CLOCHE_PAGE_CHECK_ADDRESSES', 'intranet.example', '10.0.0.0/8'],
  ['CLOCHE_TRUSTED_PROXIES', 'localhost', '127.0.0.1, ::1, 10.0.0.0/8'],
  ['CLOCHE_TRUSTED_PROXIES', '10.0.0.0/33', '127.0.0.1, ::1, 10.0.0.0/8'],
  ['CLOCHE_TRUSTED_PROXIES', '127.0.0.1,', '127.0.0.1, ::1, 10.0.0.0/8'],
  ['CLOCHE_MAX_CONNECTIONS', '-1', '0 to 999999999'],
  ['CLOCHE_MAX_MB_PER_USER', '-1', '0 to 999999999'],
  ['CLOCHE_MAX_MB_PER_USER', '1.5', '0 to 999999999'],
  ['CLOCHE_MAX_MB_PER_USER', '1000000000', '0 to 999999999'],
  ['CLOCHE_MAX_DESIGNS_PER_USER', 'unlimited', '0 to 999999999'],
  ['CLOCHE_PORT', ' ', 'leave it out'],
  ['CLOCHE_MAX_TEXTURE', '32', '64 to 8192'],
  ['CLOCHE_MAX_TRIANGLES', '999', '1000 to 50000000'],
  ['CLOCHE_MAX_TRIANGLES', '50000001', '1000 to 50000000'],
  ['CLOCHE_MAX_TRIANGLES', '1e6', '1000 to 50000000'],
  ['CLOCHE_MAX_TRIANGLES', '1,000,000', '1000 to 50000000'],
  ['CLOCHE_METRICS_PORT', '8787', 'another port'],
  ['CLOCHE_METRICS_PORT', '0', '1 to 65535'],
  ['CLOCHE_METRICS_HOST', '0.0.0.0', 'Set both'],
  ['CLOCHE_PORT', 'http', '1 to 65535'],
  ['CLOCHE_PORT', '0', '1 to 65535'],
  ['CLOCHE_PORT', '-1', '1 to 65535'],
  ['CLOCHE_PORT', '65536', '1 to 65535'],
  ['CLOCHE_PORT', '80.5', '1 to 65535'],
  ['CLOCHE_PORT', '0x50', '1 to 65535'],
  ['CLOCHE_PORT', '1e3', '1 to 65535'],
  ['CLOCHE_HOST', '', 'leave it out'],
  ['CLOCHE_CHROMIUM', '/no/such/browser', 'ENOENT'],
  ['CLOCHE_CHROMIUM', import.meta.filename, 'EACCES'],
  ['CLOCHE_DATA', '', 'leave it out'],
  ['CLOCHE_PUBLIC_URL', 'cloche.example', 'https://cloche.example.com'],
  ['CLOCHE_PUBLIC_URL', 'localhost:8787', 'https://cloche.example.com'],
  ['CLOCHE_PUBLIC_URL', 'ftp://cloche.example', 'https://cloche.example.com'],
  ['CLOCHE_PUBLIC_URL', 'https://cloche.example/x', 'no path'],
  ['CLOCHE_PUBLIC_URL', 'https://cloche.example?x', 'no query'],
  ['CLOCHE_PUBLIC_URL', 'https://me:secret@cloche.example', 'https://cloche.example.com'],
  ['CLOCHE_PUBLIC_URL', 'https://*.example', 'https://cloche.example.com'],
  ['CLOCHE_FORMER_URLS', 'https://a.example,', 'a scheme, a host'],
  ['CLOCHE_FORMER_URLS', 'https://a.example/x', 'no path'],
  ['CLOCHE_FORMER_URLS', 'https://a.example,https://a.example:443', 'there twice'],
  ['CLOCHE_FORMER_URLS', 'http://localhost:8787', 'is CLOCHE_PUBLIC_URL'],
  ['CLOCHE_MAX_UPLOAD_MB', '0', '1 to 4096'],
  ['CLOCHE_MAX_UPLOAD_MB', '256MB', '1 to 4096'],
  ['CLOCHE_MAX_UPLOAD_MB', '4097', '1 to 4096'],
  ['CLOCHE_GRANT_KEY', 'secret', 'openssl rand -hex 32'],
  ['CLOCHE_GRANT_KEY', KEY.slice(2), 'openssl rand -hex 32'],
  ['CLOCHE_GRANT_KEY', KEY.slice(1), 'openssl rand -hex 32'],
  ['CLOCHE_GRANT_KEY', `${KEY}z`, 'openssl rand -hex 32'],
  ['CLOCHE_GRANT_KEY', `${KEY}0`, 'openssl rand -hex 32'],
  ['CLOCHE_GRANT_KEY_FILE', '/nowhere/key', 'cannot be read (ENOENT)'],
  ['CLOCHE_GRANT_KEY_FILE', '/', 'cannot be read (EISDIR)'],
  ['CLOCHE_LOG_LEVEL', 'verbose', 'debug'],
  ['CLOCHE_LOG_LEVEL', 'INFO', 'info'],
  ['CLOCHE_SHUTDOWN_TIMEOUT_SECONDS', '601', '0 to 600'],
  ['CLOCHE_PROT', '80', 'CLOCHE_PORT'],
  ['CLOCHE_BOOTSTRAP_TOKEN_FILE', '', 'leave it out'],
];

const S3_URL = 'https://s3.example.com/designs/cloche';

test('a bucket is read from its address and its key', async (t) => {
  const file = join(await openTemporaryDirectory(t), 'secret');
  await writeFile(file, 'the secret\n');
  const env = { CLOCHE_S3_URL: S3_URL, CLOCHE_S3_KEY: 'id', CLOCHE_S3_SECRET_FILE: file };
  assert.deepEqual(readConfig(env).s3, {
    endpoint: 'https://s3.example.com',
    bucket: 'designs',
    prefix: 'cloche/',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 'the secret',
  });
});

test('the address and the region of a bucket can be in files', async (t) => {
  const directory = await openTemporaryDirectory(t);
  const [url, region] = [join(directory, 'url'), join(directory, 'region')];
  await writeFile(url, `${S3_URL}\n`);
  await writeFile(region, 'eu-central-1\n');
  const key = { CLOCHE_S3_KEY: 'id', CLOCHE_S3_SECRET: 'secret', CLOCHE_CACHE_MB: '1' };
  const files = { CLOCHE_S3_URL_FILE: url, CLOCHE_S3_REGION_FILE: region };
  const target = { CLOCHE_TO_S3_REGION_FILE: region };
  const { s3, moveTarget } = readConfig({ ...key, ...files, ...target });
  const expected = readConfig({ ...key, CLOCHE_S3_URL: S3_URL, CLOCHE_S3_REGION: 'eu-central-1' });
  assert.deepEqual(s3, expected.s3);
  assert.equal(moveTarget.s3Region, 'eu-central-1');
  assert.throws(
    () => readConfig({ ...key, ...files, CLOCHE_FILES: '/srv' }),
    /CLOCHE_FILES and CLOCHE_S3_URL are both set/,
  );
});

test('a CDN has an address, and tickets that are valid for an hour by default', () => {
  const env = { CLOCHE_CDN_URL: 'https://CDN.example.com/' };
  assert.deepEqual(readConfig(env).cdn, { origin: 'https://cdn.example.com', ticketMs: 3_600_000 });
  const local = { CLOCHE_CDN_URL: 'http://127.0.0.1:8081', CLOCHE_TICKET_MINUTES: '10' };
  assert.deepEqual(readConfig(local).cdn, { origin: 'http://127.0.0.1:8081', ticketMs: 600_000 });
  assert.equal(readConfig({}).cdn, undefined);
});

const CDN_URL = 'https://cdn.example.com';
const invalidCdnCases: [env: Record<string, string>, message: RegExp][] = [
  [{ CLOCHE_CDN_URL: 'http://cdn.example.com' }, /^CLOCHE_CDN_URL is .* must begin with https/],
  [{ CLOCHE_CDN_URL: 'http://127.evil.example' }, /^CLOCHE_CDN_URL is .* must begin with https/],
  [{ CLOCHE_CDN_URL: 'https://cdn.example.com/path' }, /^CLOCHE_CDN_URL is .* no path/],
  [{ CLOCHE_CDN_URL: 'https://cdn.example.com; script-src *' }, /^CLOCHE_CDN_URL is/],
  [{ CLOCHE_CDN_URL: CDN_URL, CLOCHE_TICKET_MINUTES: '9' }, /^CLOCHE_TICKET_MINUTES .* 10 to 1440/],
  [{ CLOCHE_CDN_URL: CDN_URL, CLOCHE_TICKET_MINUTES: '1441' }, /^CLOCHE_TICKET_MINUTES is/],
  [{ CLOCHE_TICKET_MINUTES: '60' }, /^CLOCHE_TICKET_MINUTES is set without CLOCHE_CDN_URL/],
];

for (const [env, message] of invalidCdnCases) {
  test(`${JSON.stringify(env)}: rejected with ${message}`, () => {
    assert.throws(() => readConfig(env), { name: 'ConfigError', message });
  });
}

const invalidS3Cases: [env: Record<string, string>, message: RegExp][] = [
  [
    { CLOCHE_S3_URL: 'designs' },
    /^CLOCHE_S3_URL is "designs"\. It must be the address of a bucket/,
  ],
  ...['https://id:hunter2@s3.example/bucket', 'https://s3.example/bucket?secret=hunter2'].map(
    (CLOCHE_S3_URL): [Record<string, string>, RegExp] => [
      { CLOCHE_S3_URL },
      // Without the secret.
      /^CLOCHE_S3_URL is not valid\. It must be the address of a bucket(?!.*hunter2).*, with no key and no query/,
    ],
  ),
  [{ CLOCHE_S3_URL: S3_URL }, /CLOCHE_S3_KEY or CLOCHE_S3_KEY_FILE/],
  [{ CLOCHE_S3_URL: S3_URL, CLOCHE_S3_KEY: 'id' }, /CLOCHE_S3_SECRET or CLOCHE_S3_SECRET_FILE/],
  [{ CLOCHE_S3_KEY: 'id' }, /^CLOCHE_S3_KEY is set without CLOCHE_S3_URL/],
];

for (const [env, message] of invalidS3Cases) {
  test(`${Object.keys(env).join(', ')}: rejected with ${message}`, () => {
    assert.throws(() => readConfig(env), { name: 'ConfigError', message });
  });
}

for (const [name, value, correction] of invalidCases) {
  test(`${name}="${value}" is rejected with "${correction}"`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => {
        assert.ok(error instanceof ConfigError, String(error));
        assert.ok(error.message.startsWith(name), error.message);
        assert.ok(error.message.includes(correction), error.message);
        return true;
      },
    );
  });
}

test('an error message does not contain the secret', () => {
  for (const value of ['hunter2hunter2hunter2', KEY.slice(2)]) {
    assert.throws(
      () => readConfig({ CLOCHE_GRANT_KEY: value }),
      (error: Error) => !error.message.includes(value),
    );
  }
});

test('a secret is read from a variable or from a file, but not from both', async (t) => {
  const file = join(await openTemporaryDirectory(t), 'grant.key');
  await writeFile(file, `${KEY}\n`);
  const { grantKey } = readConfig({ CLOCHE_GRANT_KEY_FILE: file });
  assert.deepEqual(grantKey, Buffer.from(KEY, 'hex'));
  assert.throws(
    () => readConfig({ CLOCHE_GRANT_KEY: KEY, CLOCHE_GRANT_KEY_FILE: file }),
    /CLOCHE_GRANT_KEY and CLOCHE_GRANT_KEY_FILE are both set/,
  );
  await writeFile(file, '');
  assert.throws(() => readConfig({ CLOCHE_GRANT_KEY_FILE: file }), ConfigError);
});

test('variables without the prefix CLOCHE_ are ignored', () => {
  assert.equal(readConfig({ PATH: '/bin', PORT: '1', CLOCHEX: '1' }).port, 8787);
});

test('trusted proxies are addresses and ranges', () => {
  const { trustedProxies } = readConfig({ CLOCHE_TRUSTED_PROXIES: '127.0.0.1, fd00::/8' });
  const texts = trustedProxies.map(([network, bits]) => `${network}/${bits}`);
  assert.deepEqual(texts, ['127.0.0.1/32', 'fd00::/8']);
});

test('roles need PostgreSQL; a folder for the files excludes a bucket', () => {
  const postgres = { CLOCHE_DATABASE_URL: 'postgres://db.example/cloche', CLOCHE_GRANT_KEY: KEY };
  assert.equal(readConfig({}).role, 'all');
  assert.equal(readConfig({ CLOCHE_ROLE: 'all' }).role, 'all');
  for (const role of ['web', 'worker']) {
    assert.equal(readConfig({ CLOCHE_ROLE: role, ...postgres }).role, role);
    assert.throws(() => readConfig({ CLOCHE_ROLE: role }), {
      name: 'ConfigError',
      message: /^CLOCHE_ROLE is ".*CLOCHE_DATABASE_URL is not set.*set CLOCHE_DATABASE_URL, or/,
    });
  }
  assert.throws(() => readConfig({ CLOCHE_ROLE: 'api', ...postgres }), {
    message: 'CLOCHE_ROLE is "api". It must be all, web, worker.',
  });
  assert.equal(readConfig({ CLOCHE_FILES: '/srv/files' }).filesDirectory, '/srv/files');
  const bucket = { CLOCHE_S3_URL: 'https://s3.example/bucket', CLOCHE_S3_KEY: 'id' };
  assert.throws(
    () => readConfig({ CLOCHE_FILES: '/srv/files', ...bucket, CLOCHE_S3_SECRET: 'secret' }),
    { message: /^CLOCHE_FILES and CLOCHE_S3_URL are both set\./ },
  );
});

test('a PostgreSQL database needs a grant key; no message contains the URL', () => {
  const url = 'postgres://cloche:s3cret@db.example/cloche';
  const grant = { CLOCHE_GRANT_KEY: KEY };
  const database = { kind: 'postgres', url };
  assert.deepEqual(readConfig({ CLOCHE_DATABASE_URL: url, ...grant }).database, database);
  assert.throws(() => readConfig({ CLOCHE_DATABASE_URL: url }), {
    name: 'ConfigError',
    message: /^CLOCHE_GRANT_KEY is missing.*openssl rand -hex 32/,
  });
  for (const invalid of ['mysql://cloche:s3cret@db/x', 'postgres://cloche:s3cret@db', 's3cret'])
    assert.throws(() => readConfig({ CLOCHE_DATABASE_URL: invalid, ...grant }), {
      name: 'ConfigError',
      message: /^CLOCHE_DATABASE_URL is not(?!.*s3cret).*postgres:/,
    });
});
