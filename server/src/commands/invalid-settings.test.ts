import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { runClocheServer } from '../../testing/run-cloche-server.ts';
import { VARIABLES } from '../config.ts';
import { runCommand } from './run-command.ts';

type Settings = Record<string, string>;

const KEY = '0'.repeat(64);
const MISSING = '/nowhere/file';
const DATABASE_URL = 'postgres://user@127.0.0.1:1/cloche';
const DATABASE = { CLOCHE_DATABASE_URL: DATABASE_URL, CLOCHE_GRANT_KEY: KEY };
const BUCKET = {
  CLOCHE_S3_URL: 'http://127.0.0.1:1/designs',
  CLOCHE_S3_KEY: 'id',
  CLOCHE_S3_SECRET: 'secret',
};
const CDN = { CLOCHE_CDN_URL: 'https://cdn.example.com' };

/** Found before anything is opened: the variable, invalid values of it, and what else is set. */
const readCases: [name: string, values: string[], others?: Settings][] = [
  ['CLOCHE_PORT', ['0', 'http', '65536', '8e1']],
  ['CLOCHE_HOST', ['', ' ']],
  ['CLOCHE_DATA', ['']],
  [
    'CLOCHE_DATABASE_URL',
    ['x', 'postgres://h', 'mysql://h/x', 'postgres://u:p@h/100%off'],
    { CLOCHE_GRANT_KEY: KEY },
  ],
  [
    'CLOCHE_DATABASE_URL',
    ['postgres://u%zz:p@h/x', 'postgres://h:70000/x'],
    { CLOCHE_GRANT_KEY: KEY },
  ],
  ['CLOCHE_DATABASE_URL', [DATABASE_URL]],
  ['CLOCHE_DATABASE_URL_FILE', [MISSING, '/', '']],
  ['CLOCHE_ROLE', ['both', 'web', 'WEB']],
  ['CLOCHE_FILES', ['']],
  ['CLOCHE_FILES', ['/srv/files'], BUCKET],
  ['CLOCHE_PUBLIC_URL', ['example.com', 'https://example.com/x', 'https://a b']],
  ['CLOCHE_FORMER_URLS', ['example.com', 'https://a.example,https://a.example']],
  ['CLOCHE_MAX_UPLOAD_MB', ['0', '4097', '1.5']],
  ['CLOCHE_MAX_TEXTURE', ['63', 'large']],
  ['CLOCHE_MAX_TRIANGLES', ['999', '1e6']],
  ['CLOCHE_BOOTSTRAP_TOKEN_FILE', ['']],
  ['CLOCHE_GRANT_KEY', ['secret', '00']],
  ['CLOCHE_GRANT_KEY_FILE', [MISSING, '/']],
  ['CLOCHE_LOG_LEVEL', ['verbose']],
  ['CLOCHE_SHUTDOWN_TIMEOUT_SECONDS', ['601', '-1']],
  ['CLOCHE_METRICS_PORT', ['0', '8787']],
  ['CLOCHE_METRICS_HOST', ['127.0.0.1']],
  ['CLOCHE_SANDBOX', ['none']],
  ['CLOCHE_WORKERS', ['0', '65', 'auto']],
  ['CLOCHE_CHROMIUM', [MISSING, '/', import.meta.filename]],
  [
    'CLOCHE_S3_URL',
    ['designs', 's3://designs', 'https://user:key@s3.example.com/designs'],
    { CLOCHE_S3_KEY: 'id', CLOCHE_S3_SECRET: 's' },
  ],
  ['CLOCHE_S3_URL_FILE', [MISSING, '/']],
  ['CLOCHE_S3_REGION', ['eu central', 'é', ''], BUCKET],
  ['CLOCHE_S3_REGION', ['eu-central-1']],
  ['CLOCHE_S3_REGION_FILE', [MISSING], BUCKET],
  ['CLOCHE_S3_KEY', ['', 'a\nb', 'é'], BUCKET],
  ['CLOCHE_S3_KEY', ['id']],
  ['CLOCHE_S3_KEY_FILE', [MISSING], { CLOCHE_S3_URL: BUCKET.CLOCHE_S3_URL }],
  ['CLOCHE_S3_SECRET', ['', 'a\nb'], BUCKET],
  [
    'CLOCHE_S3_SECRET_FILE',
    [MISSING],
    { CLOCHE_S3_URL: BUCKET.CLOCHE_S3_URL, CLOCHE_S3_KEY: 'id' },
  ],
  ['CLOCHE_CACHE_MB', ['-1', '100000001'], BUCKET],
  ['CLOCHE_CACHE_MB', ['1']],
  ['CLOCHE_CDN_URL', ['http://cdn.example.com', 'cdn.example.com', 'https://cdn.example.com/x']],
  ['CLOCHE_TICKET_MINUTES', ['9', '1441'], CDN],
  ['CLOCHE_TICKET_MINUTES', ['60']],
  ['CLOCHE_TO_DATABASE_PASSWORD', ['']],
  ['CLOCHE_TO_DATABASE_PASSWORD_FILE', [MISSING]],
  ['CLOCHE_TO_S3_REGION', ['eu central']],
  ['CLOCHE_TO_S3_REGION_FILE', [MISSING]],
  ['CLOCHE_TO_S3_KEY', ['a\nb']],
  ['CLOCHE_TO_S3_KEY_FILE', [MISSING]],
  ['CLOCHE_TO_S3_SECRET', ['a\nb']],
  ['CLOCHE_TO_S3_SECRET_FILE', [MISSING]],
  ['CLOCHE_TRUSTED_PROXIES', ['localhost', '10.0.0.0/33']],
  ['CLOCHE_PAGE_CHECK_ADDRESSES', ['intranet']],
  ['CLOCHE_PROT', ['80']],
  ...VARIABLES.filter((name) => /^CLOCHE_MAX_.*(_PER_|CONNECTIONS)/.test(name)).map(
    (name): [string, string[]] => [name, ['-1', 'many', '1000000000']],
  ),
];

test('the table has each variable', () => {
  const names = new Set(readCases.map(([name]) => name));
  assert.deepEqual(
    VARIABLES.filter((name) => !names.has(name)),
    [],
  );
});

for (const [name, values, others] of readCases) {
  for (const value of values) {
    const set = Object.keys(others ?? {});
    test(`${name}=${JSON.stringify(value)} with ${set.join(', ') || 'nothing'} stops the start`, async () => {
      let errors = '';
      const note = (line: string) => {
        errors += `${line}\n`;
      };
      const status = await runCommand([], {
        commands: { serve: { summary: '', usage: '', run: () => assert.fail('it was started') } },
        environment: { ...others, [name]: value },
        output: { print: assert.fail, note },
      });
      assertRefused({ status, stderr: errors, stdout: '' }, name);
    });
  }
}

/** A port that another program listens on. */
let usedPort: number;
before(async () => {
  const server = createServer().listen(0, '127.0.0.1').unref();
  await new Promise((resolve) => server.once('listening', resolve));
  usedPort = (server.address() as AddressInfo).port;
});

/** Found when the service opens what the variable names. */
const openCases: [name: string, message: RegExp, createSettings: (folder: string) => Settings][] = [
  ['CLOCHE_PORT', /another program/, () => ({ CLOCHE_PORT: String(usedPort) })],
  ['CLOCHE_HOST', /not an address of/, () => ({ CLOCHE_HOST: '192.0.2.1' })],
  ['CLOCHE_HOST', /cannot be resolved/, () => ({ CLOCHE_HOST: 'no host' })],
  ['CLOCHE_DATA', /Set a directory/, () => ({ CLOCHE_DATA: '/dev/null/data' })],
  ['CLOCHE_FILES', /set another directory/, () => ({ CLOCHE_FILES: '/dev/null/files' })],
  ['CLOCHE_FILES', /set another directory/, () => ({ CLOCHE_FILES: '/proc/files' })],
  [
    'CLOCHE_FILES',
    /Set CLOCHE_FILES to another/,
    (folder) => ({ CLOCHE_FILES: join(folder, 'data') }),
  ],
  ['CLOCHE_DATABASE_URL', /Start the server/, () => DATABASE],
  [
    'CLOCHE_DATABASE_URL',
    /sslrootcert.*let this user read/,
    () => ({ ...DATABASE, CLOCHE_DATABASE_URL: `${DATABASE_URL}?sslrootcert=${MISSING}` }),
  ],
  ['CLOCHE_S3_URL', /start that server first/, () => BUCKET],
  ['CLOCHE_BOOTSTRAP_TOKEN_FILE', /Set the path/, () => ({ CLOCHE_BOOTSTRAP_TOKEN_FILE: MISSING })],
  ['CLOCHE_BOOTSTRAP_TOKEN_FILE', /Set the path/, () => ({ CLOCHE_BOOTSTRAP_TOKEN_FILE: '/' })],
  [
    'CLOCHE_METRICS_HOST',
    /correct CLOCHE_METRICS_HOST/,
    () => ({ CLOCHE_METRICS_HOST: '192.0.2.1', CLOCHE_METRICS_PORT: '19464' }),
  ],
  ['CLOCHE_METRICS_PORT', /Set another port/, () => ({ CLOCHE_METRICS_PORT: String(usedPort) })],
];

for (const [name, message, createSettings] of openCases) {
  test(`${name} that cannot be opened (${message.source}) stops the start before the token is printed`, async (t) => {
    const folder = await openTemporaryDirectory(t);
    const result = await runClocheServer([], {
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_PORT: String(await findFreePort()),
      CLOCHE_CHROMIUM: 'none',
      ...createSettings(folder),
    });
    assertRefused(result, name);
    assert.match(result.stderr, message);
  });
}

test('a grant key that is damaged stops the start before the token is printed', async (t) => {
  const CLOCHE_DATA = await openTemporaryDirectory(t);
  await writeFile(join(CLOCHE_DATA, 'grant.key'), 'damaged');
  const CLOCHE_PORT = String(await findFreePort());
  const settings = { CLOCHE_DATA, CLOCHE_PORT, CLOCHE_CHROMIUM: 'none' };
  assertRefused(await runClocheServer([], settings), 'grant.key');
});

function assertRefused(
  { status, stderr, stdout }: { status: number | null; stderr: string; stdout: string },
  name: string,
): void {
  assert.equal(status, 1, stderr);
  // One line, with a sentence or more: what is wrong, and what to do.
  assert.match(stderr, /^cloche: [^\n]+\.\n$/);
  assert.ok(stderr.includes(name), stderr);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.doesNotMatch(stdout, /token/);
}
