import assert from 'node:assert/strict';
import { chown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { openTestServer } from '../../testing/harness.ts';
import { sqliteOnly } from '../../testing/postgres-run.ts';
import { readSnapshot } from '../../testing/read-snapshot.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { runClocheServer, runInProcess } from '../../testing/run-cloche-server.ts';
import {
  createDatabaseIn,
  getDatabaseSettings,
  openDatabaseAgain,
} from '../../testing/test-database.ts';
import { MIGRATIONS } from '../database/migrate.ts';
import { createInitialUser } from '../startup/bootstrap-token.ts';
import { openDatabase } from '../startup/open-database.ts';

const ALL = ['--capabilities', 'read,write,embed'];

/** Creates the data of a service that does not run. */
async function createData(t: TestContext): Promise<string> {
  const dataDirectory = await openTemporaryDirectory(t);
  await createDatabaseIn(t, dataDirectory, async (database) => {
    await createInitialUser(database, new Date(), async () => {});
  });
  return dataDirectory;
}

test('a token that was created while the service runs is accepted at once', async (t) => {
  const service = await openTestServer(t);
  const environment = getDatabaseSettings(service);
  const { status, stdout, stderr } = await runClocheServer(['token', ...ALL], environment);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^cloche_sk_\w{38}\n$/, 'the only line on standard output');
  const token = stdout.trim();
  assert.equal((await sendRequest({ ...service, token }, 'GET', '/v1/tokens')).statusCode, 200);
  await issueToken({ ...service, token });
});

test('the options set the fields of the token', async (t) => {
  const service = await openTestServer(t);
  const design = await uploadTestDesign(service);
  const options = {
    capabilities: 'embed',
    origins: `${SHOP_ORIGIN}, https://*.example.com`,
    designs: design.uri,
    name: 'from the machine',
    'expires-at': '2099-01-01T00:00:00Z',
    user: 'operator',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const environment = getDatabaseSettings(service);
  const { stdout, stderr } = await runInProcess(['token', '--json', ...args], environment);
  const created = JSON.parse(stdout || stderr);
  assert.match(created.token, /^cloche_pk_/);

  const stored = (await sendRequest(service, 'GET', `/v1/tokens/${created.id}`)).json();
  assert.deepEqual(stored.capabilities, ['embed']);
  assert.deepEqual(stored.origins, [SHOP_ORIGIN, 'https://*.example.com']);
  assert.deepEqual(stored.designs, [design.id]);
  assert.equal(stored.name, 'from the machine');
  assert.equal(stored.expiresAt, '2099-01-01T00:00:00.000Z');
  const response = await service.app.inject({
    url: `/embed/iframe/v1/${design.id}?token=${created.token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });
  assert.equal(response.statusCode, 200);
});

test('a token that was created while the service does not run is valid after its start', async (t) => {
  const dataDirectory = await createData(t);
  const environment = getDatabaseSettings({ dataDirectory });
  const { stdout, stderr } = await runInProcess(['token', ...ALL], environment);
  const token = stdout.trim();
  const service = { ...(await openTestServer(t, { dataDirectory })), token };
  assert.equal((await sendRequest(service, 'GET', '/v1/tokens')).statusCode, 200, stderr);
});

const invalidCases: [args: string[], status: number, message: RegExp][] = [
  [['token'], 2, /^cloche-server: --capabilities is missing\. Example: .*\n\nUsage: /],
  [
    ['token', '--capability', 'read'],
    2,
    /^cloche-server: Unknown option '--capability'\n\nUsage: /,
  ],
  [['token', 'x', ...ALL], 2, /^cloche-server: Unexpected argument 'x'.*\n\nUsage: /],
  [
    ['token', '--capabilities'],
    2,
    /^cloche-server: Option '--capabilities <value>' argument missing/,
  ],
  [['token', '--capabilities', 'admin'], 1, /^cloche: capabilities\[0\]: must be one of "read"/],
  [['token', '--capabilities', 'embed'], 1, /^cloche: origins: .* needs at least one origin/],
  [
    ['token', '--capabilities', 'embed', '--origins', '*'],
    1,
    /^cloche: .* does not begin with http/,
  ],
  [['token', ...ALL, '--designs', 'chair'], 1, /^cloche: .*chair/],
  [
    ['token', ...ALL, '--expires-at', '2020-01-01T00:00:00Z'],
    1,
    /^cloche: expiresAt: must be in the/,
  ],
  [['token', ...ALL, '--expires-at', 'tomorrow'], 1, /^cloche: expiresAt: /],
  [['token', ...ALL, '--user', 'nobody'], 2, /^cloche-server: There is no user "nobody"/],
  [['tokens'], 2, /^cloche-server: there is no command "tokens"\.\n\nUsage: /],
];

test('invalid arguments are refused, and nothing is stored', async (t) => {
  const dataDirectory = await createData(t);
  const results = await Promise.all(
    invalidCases.map(([args]) => runInProcess(args, getDatabaseSettings({ dataDirectory }))),
  );
  for (const [index, { status, stdout, stderr }] of results.entries()) {
    const [args, expectedStatus, message] = invalidCases[index] ?? assert.fail();
    assert.match(stderr, message, args.join(' '));
    assert.deepEqual([status, stdout], [expectedStatus, ''], args.join(' '));
  }
  const database = openDatabaseAgain(t, dataDirectory);
  assert.equal((await database.selectFrom('token').selectAll().execute()).length, 1);
});

test('--help and --version print to standard output', async () => {
  const rows: [args: string[], output: RegExp][] = [
    [
      ['--help'],
      /^Usage: cloche-server \[command\][\s\S]* {2}serve {2,}[A-Z][\s\S]* {2}sign-in-link {2,}[A-Z][\s\S]* {2}users {2,}[A-Z]/,
    ],
    [['token', '--help'], /^Usage: cloche-server token[\s\S]*--expires-at/],
    [['users', '--help'], /^Usage: cloche-server users add/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ];
  for (const [args, output] of rows) {
    const { status, stdout, stderr } = await runClocheServer(args, {});
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, output);
  }
});

const NO_FILE = sqliteOnly('the error names the file of the database');

test(
  'without a database, or with an invalid setting, there is an error and nothing is created',
  NO_FILE,
  async (t) => {
    const directory = await openTemporaryDirectory(t);
    const rows: [environment: NodeJS.ProcessEnv, message: RegExp][] = [
      [{ CLOCHE_DATA: directory }, /^cloche: CLOCHE_DATA is .* has no Cloche database/],
      [
        { CLOCHE_DATA: join(directory, 'none') },
        /^cloche: CLOCHE_DATA is .* has no Cloche database/,
      ],
      [{ CLOCHE_DATTA: directory }, /^cloche: CLOCHE_DATTA is not a setting/],
    ];
    for (const [environment, message] of rows) {
      const { status, stderr } = await runInProcess(['token', ...ALL], environment);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
    assert.deepEqual(await readdir(directory), []);
  },
);

const UNCHANGED_FILE = sqliteOnly('open-postgres-database.test.ts has the one for PostgreSQL');

test(
  'a database of a newer or an older version is refused and not changed',
  UNCHANGED_FILE,
  async (t) => {
    const [first = ''] = Object.keys(MIGRATIONS);
    const rows = [
      [{ ...MIGRATIONS, '9999-newer': { up: async () => {} } }, /needs Cloche .* or newer/],
      [{ [first]: MIGRATIONS[first] ?? assert.fail() }, /Start this version of the service once/],
    ] as const;
    for (const [migrations, message] of rows) {
      const directory = await openTemporaryDirectory(t);
      await (await openDatabase(directory, migrations)).destroy();
      const before = (await readSnapshot(directory))['cloche.sqlite'];
      const { status, stderr } = await runInProcess(['token', ...ALL], { CLOCHE_DATA: directory });
      assert.equal(status, 1);
      assert.match(stderr, message);
      assert.equal((await readSnapshot(directory))['cloche.sqlite'], before);
    }
  },
);

const FILE_OWNER = sqliteOnly('the owner of the files of the database');

test('as root, the command becomes the owner of the data directory', FILE_OWNER, async (t) => {
  if (process.geteuid?.() !== 0) return t.skip('not root');
  const NOBODY = 65534;
  const dataDirectory = await createData(t);
  for (const name of ['.', ...(await readdir(dataDirectory))]) {
    await chown(join(dataDirectory, name), NOBODY, NOBODY);
  }
  const { status, stderr } = await runClocheServer(['token', ...ALL], {
    CLOCHE_DATA: dataDirectory,
  });
  assert.equal(status, 0, stderr);
  const names = await readdir(dataDirectory);
  assert.ok(names.includes('reserve'), 'the command creates a file');
  for (const name of names) assert.equal((await stat(join(dataDirectory, name))).uid, NOBODY, name);
});
