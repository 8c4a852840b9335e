import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import { USES_POSTGRES } from '../../testing/postgres-run.ts';
import { SHOP_ORIGIN, sendRequest, uploadTestDesign } from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

/** Reads all rows of a PostgreSQL database. */
async function readRows(t: TestContext, service: TestServer): Promise<Buffer<ArrayBuffer>> {
  const database = connectToServerDatabase(t, service);
  const tables = await database.all("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const rows = tables.map(({ tablename }) => database.all(`SELECT * FROM "${tablename}"`));
  return Buffer.from(JSON.stringify(await Promise.all(rows)));
}

test('neither a file nor the database of the service contains a token string', async (t) => {
  const service = await openTestServer(t);
  const tokenStrings = [service.token];
  for (const capabilities of [['embed'], ['read', 'write']]) {
    for (const key of [undefined, 'key-1', 'key-2']) {
      const request = {
        capabilities,
        origins: [SHOP_ORIGIN],
        type: 'api',
        user: '~',
        name: key ?? 'none',
      };
      const headers = { ...(key && { 'idempotency-key': key + capabilities.length }) };
      const response = await sendRequest(service, 'POST', '/v1/tokens', request, headers);
      assert.equal(response.statusCode, 201);
      tokenStrings.push(response.json().token);
    }
  }
  await uploadTestDesign(service);
  const entries = await readdir(service.dataDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  assert.equal(
    files.some(({ name }) => name.endsWith('-wal')),
    !USES_POSTGRES,
  );
  const contents = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name))),
  );
  if (USES_POSTGRES) contents.push(await readRows(t, service));
  const bytes = Buffer.concat(contents);
  assert.ok(bytes.includes('bootstrap token'), 'the search finds text that is stored');
  for (const tokenString of tokenStrings) {
    for (const part of [tokenString, tokenString.slice(10, 42), tokenString.slice(10, 26)]) {
      assert.ok(!bytes.includes(part));
      assert.ok(!bytes.includes(Buffer.from(part).toString('base64').slice(0, -4)));
      assert.ok(!bytes.includes(Buffer.from(part).toString('hex')));
    }
  }
});
