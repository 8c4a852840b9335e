import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { SERVICE_MAIN } from '../scripts/service-process.ts';
import { MIGRATIONS } from '../server/src/database/migrate.ts';
import { openDatabase } from '../server/src/startup/open-database.ts';
import { readSnapshot } from '../server/testing/read-snapshot.ts';
import { ApiClient } from './api-client.ts';
import { ServiceProcess } from './service-process.ts';

const REPOSITORY = join(import.meta.dirname, '..');

/** Starts the service, which must refuse to start. Returns the exit code and the messages. */
function startAndFail(environment: NodeJS.ProcessEnv, main = SERVICE_MAIN) {
  const { status, stderr } = spawnSync(process.execPath, [main], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, CLOCHE_PORT: '1', CLOCHE_CHROMIUM: 'none', ...environment },
    timeout: 120_000,
  });
  return { status, stderr };
}

test('everything in an existing data directory can be read by its owner only, while the service runs', async (t) => {
  const folder = await openTemporaryDirectory(t);
  const dataDirectory = join(folder, 'data');
  const subdirectory = join(dataDirectory, 'blobs/sha256/ab');
  await mkdir(subdirectory, { recursive: true });
  for (const path of ['cloche.sqlite', 'blobs/sha256/ab/file']) {
    await writeFile(join(dataDirectory, path), '', { mode: 0o644 });
  }
  await chmod(dataDirectory, 0o755);

  const service = await ServiceProcess.open(t, { CLOCHE_DATA: dataDirectory });
  const client = await ApiClient.create(service);
  assert.equal((await client.upload(makeBox({ name: 'box' }))).body.status, 'ready');

  const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  const names = entries.map(({ name }) => name);
  for (const name of ['cloche.sqlite', 'cloche.sqlite-wal', 'cloche.sqlite-shm', 'grant.key']) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(names.filter((name) => /^[0-9a-f]{64}$/.test(name)).length >= 2, 'blobs');
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [dataDirectory, ...paths]) {
    const { mode } = await stat(path);
    assert.equal(mode & 0o077, 0, `${path} has mode ${mode.toString(8)}`);
  }
});

test('the service reports where it has written the bootstrap token', async (t) => {
  const service = await ServiceProcess.open(t);
  const path = join(service.folder, 'bootstrap-token');
  assert.ok(service.output.includes(`The bootstrap token was written to ${path}.`), service.output);
  assert.ok(!service.output.includes((await readFile(path, 'utf8')).trim()));
});

test('a service that is not built does not deliver its bootstrap token', async (t) => {
  const folder = await openTemporaryDirectory(t);
  // A copy of the sources, without the viewer and the console.
  await cp(join(REPOSITORY, 'server/src'), join(folder, 'server/src'), { recursive: true });
  await copyFile(join(REPOSITORY, 'server/package.json'), join(folder, 'server/package.json'));
  for (const path of ['node_modules', 'server/node_modules', 'demo', 'examples']) {
    await symlink(join(REPOSITORY, path), join(folder, path));
  }
  const tokenFile = join(folder, 'bootstrap-token');
  const environment = {
    CLOCHE_DATA: join(folder, 'data'),
    CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
  };
  const { status, stderr } = startAndFail(environment, join(folder, 'server/src/main.ts'));
  assert.match(stderr, /is not built\. Run "npm ci"/);
  assert.equal(status, 1);
  assert.equal(existsSync(tokenFile), false);
});

test('an older service refuses newer data and changes no byte of it', async (t) => {
  const dataDirectory = await openTemporaryDirectory(t);
  const service = await ServiceProcess.open(t, { CLOCHE_DATA: dataDirectory });
  await service.kill();
  const newer = { ...MIGRATIONS, '9999-newer': { up: async () => {} } };
  await (await openDatabase(dataDirectory, newer)).destroy();
  const before = await readSnapshot(dataDirectory);

  const { status, stderr } = startAndFail({ CLOCHE_DATA: dataDirectory });
  assert.equal(status, 1);
  assert.match(stderr, /^cloche: CLOCHE_DATA is .* needs Cloche \d+\.\d+\.\d+ or newer\./);
  assert.deepEqual(await readSnapshot(dataDirectory), before);
});

for (const directory of ['/proc/cloche/data', '/proc']) {
  test(`a data directory at ${directory} is an error`, () => {
    const { status, stderr } = startAndFail({ CLOCHE_DATA: directory });
    assert.equal(status, 1);
    assert.match(stderr, /^cloche: CLOCHE_DATA is "\/proc.*(cannot be created|cannot write to)/);
  });
}
