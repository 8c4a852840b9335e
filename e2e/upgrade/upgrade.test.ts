import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { runClocheServer } from '../../server/testing/run-cloche-server.ts';
import { ApiClient, SHOP_ORIGIN, sendGet } from '../api-client.ts';
import { ServiceProcess } from '../service-process.ts';
import type { OldInstallation } from './old-installation.ts';

const INSTALLATIONS = join(import.meta.dirname, 'installations');

/** Extracts an installation of an older version. */
async function extract(t: TestContext, archive: string) {
  const folder = await openTemporaryDirectory(t);
  await promisify(execFile)('tar', ['-xzf', join(INSTALLATIONS, archive), '-C', folder]);
  const text = await readFile(join(folder, 'installation.json'), 'utf8');
  return { folder, installation: JSON.parse(text) as OldInstallation };
}

/** Starts this program on a data directory, with the bootstrap token of the older version. */
async function openService(
  t: TestContext,
  data: string,
  { token }: OldInstallation,
  settings: Record<string, string> = {},
) {
  const service = await ServiceProcess.open(t, { CLOCHE_DATA: data, ...settings });
  const { origin } = service;
  const client = await ApiClient.create({ origin, readBootstrapToken: async () => token });
  return { service, client };
}

type OpenService = Awaited<ReturnType<typeof openService>>;

/** Asserts that the HTML that pages have from the older version shows the design, with its poster and its model. */
async function assertEmbedShown(
  { service: { origin }, client }: OpenService,
  { html, embedToken, designId, sourceSha256, artifactSha256 }: OldInstallation,
): Promise<void> {
  const source = /<iframe[^>]* src="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html);
  const oldUrl = new URL(source.replaceAll('&amp;', '&'));
  oldUrl.searchParams.set('token', embedToken);
  const load = (path: string, headers: Record<string, string>) =>
    sendGet({ url: new URL(path, origin).href, headers });
  const framed = await load(oldUrl.pathname + oldUrl.search, {
    'sec-fetch-dest': 'iframe',
    referer: `${SHOP_ORIGIN}/`,
  });
  assert.equal(framed.status, 200, framed.body.toString());
  const json = /id="viewer-config">(.*?)<\/script>/.exec(framed.body.toString())?.[1];
  const { grant, model, posters } = JSON.parse(json ?? '') as ViewerConfig;
  const artifact = await load(model.url, { [GRANT_HEADER]: grant });
  assert.deepEqual([artifact.status, toSha256(artifact.body)], [200, artifactSha256]);
  const poster = await load(posters?.[0]?.url ?? '', { [GRANT_HEADER]: grant });
  assert.deepEqual([poster.status, poster.body.toString('latin1', 8, 12)], [200, 'WEBP']);
  assert.equal(toSha256(await client.getSourceFile(designId)), sourceSha256);
  assert.equal((await client.getDesign(designId)).status, 'ready');
}

const toSha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function run(data: string, ...args: string[]): Promise<void> {
  await runWith({ CLOCHE_DATA: data }, ...args);
}

async function runWith(settings: Record<string, string>, ...args: string[]): Promise<void> {
  const { status, stdout, stderr } = await runClocheServer(args, settings);
  assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
}

const archives = readdirSync(INSTALLATIONS).sort();

test('there are installations of older versions', () => {
  assert.ok(archives.length >= 2);
});

for (const archive of archives) {
  test(`this program works with the data of ${archive}, and with a backup that it makes of them`, async (t) => {
    const { folder, installation } = await extract(t, archive);
    const data = join(folder, 'data');
    const opened = await openService(t, data, installation);
    await assertEmbedShown(opened, installation);
    const added = await opened.client.upload(makeBox({ name: 'table' }));
    assert.equal(added.body.status, 'ready', added.text);
    const replaced = await opened.client.upload(makeBox({ name: 'new chair' }), {
      path: `/v1/designs/${added.body.id}/model`,
    });
    assert.equal(replaced.body.status, 'ready', replaced.text);
    const backup = join(folder, 'new-backup');
    await run(data, 'backup', backup);
    await opened.service.stop('SIGTERM');
    await run(data, 'verify');

    const restored = join(folder, 'restored');
    await run(restored, 'restore', backup);
    await run(restored, 'verify');
    const again = await openService(t, restored, installation);
    await assertEmbedShown(again, installation);
    assert.equal((await again.client.getDesign(added.body.id)).status, 'ready');
  });

  test(`this program restores the backup in ${archive}, if there is one`, async (t) => {
    const { folder, installation } = await extract(t, archive);
    const backup = join(folder, 'backup');
    // The versions before had no such command.
    if (!existsSync(backup)) return assert.equal(archive, 'first-schema.tar.gz');
    const restored = join(folder, 'restored');
    await run(restored, 'restore', backup);
    await run(restored, 'verify');
    await assertEmbedShown(await openService(t, restored, installation), installation);
  });
}

test('this program restores the backup of an older version into PostgreSQL', async (t) => {
  const { folder, installation } = await extract(t, 'first-backup.tar.gz');
  const server = await startPostgresServer();
  t.after(() => server[Symbol.asyncDispose]());
  const postgres = {
    CLOCHE_DATABASE_URL: server.url,
    CLOCHE_GRANT_KEY: randomBytes(32).toString('hex'),
  };
  const data = join(folder, 'restored');
  const settings = { CLOCHE_DATA: data, ...postgres };
  await runWith(settings, 'restore', join(folder, 'backup'));
  await runWith(settings, 'verify');
  const opened = await openService(t, data, installation, postgres);
  await assertEmbedShown(opened, installation);
});
