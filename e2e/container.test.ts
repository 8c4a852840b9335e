import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findFreePort } from '../scripts/find-free-port.ts';
import { skipUnlessSelected, skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { ApiClient, SHOP_ORIGIN, sendGet } from './api-client.ts';
import { buildTarget, createBaseImages } from './container/build-images.ts';
import { startDemo } from './container/demo-container.ts';
import {
  readBackupCommands,
  readComposeFlags,
  readDocumentedFlags,
} from './container/documented-flags.ts';
import { Podman } from './container/podman.ts';

const MAX_IMAGE_BYTES = 300e6;
const SECCOMP_PROFILE = join(import.meta.dirname, '../deploy/seccomp.json');

const skip =
  skipWithout('podman', 'buildah', 'runc', 'mmdebstrap') ||
  (process.getuid?.() !== 0 && 'needs root') ||
  skipUnlessSelected();

/** Prints the script of the workers, in the folder of the service. */
const PRINT_WORKER =
  "import('./pipeline/src/sandbox/node-permissions.ts').then((m) => console.log(m.WORKER_ENTRY))";

test('compose.yaml sets the flags that the guide documents', () => {
  const flags = readDocumentedFlags();
  assert.equal(flags.length, 13, flags.join(' '));
  for (const service of ['cloche', 'web-1', 'web-2', 'worker-1', 'worker-2', 'bucket'])
    assert.deepEqual(readComposeFlags(service), flags, service);
});

describe('the container image', { skip }, () => {
  let podman: Podman;
  let image: string;

  before(async () => {
    podman = new Podman();
    await createBaseImages(podman);
    image = await buildTarget(podman, 'service');
  });

  after(() => podman[Symbol.asyncDispose]());

  /** Runs a container with the documented flags until the service is ready. */
  async function startService(name: string, { ofImage = image, data = 'data' } = {}) {
    const port = await findFreePort();
    const settings = toSettings(port);
    const volume = ['--volume', `${data}:/data`];
    await podman.start(
      '--detach',
      '--name',
      name,
      ...readDocumentedFlags(),
      ...volume,
      ...settings,
      ofImage,
    );
    const origin = `http://localhost:${port}`;
    const readReadiness = async () => {
      const { output } = await podman.tryRun('inspect', '--format', '{{.State.Status}}', name);
      if (output.trim() !== 'running') throw new Error(await podman.run('logs', name));
      const response = await fetch(`${origin}/readyz`).catch(() => undefined);
      return response?.ok ? ((await response.json()) as object) : undefined;
    };
    const readiness = await waitUntil('the service to be ready', readReadiness);
    const exec = (...command: string[]) => podman.run('exec', name, ...command);
    const readBootstrapToken = async () => (await exec('cat', '/data/bootstrap-token')).trim();
    return { origin, readiness, exec, readBootstrapToken };
  }

  it('without a browser has at most 300 MB', async () => {
    const bytes = await podman.run('image', 'inspect', '--format', '{{.Size}}', image);
    assert.ok(Number(bytes) <= MAX_IMAGE_BYTES, `${bytes} bytes`);
  });

  it('isolates workers strictly, as a user without privileges, and keeps its data', async () => {
    const service = await startService('first');
    assert.deepEqual(service.readiness, { ok: true, sandbox: { level: 'strict', missing: [] } });
    assert.equal((await service.exec('id', '--user')).trim(), '10001');
    const status = await service.exec('cat', '/proc/1/status');
    assert.match(status, /^CapEff:\t0+\nCapBnd:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1\nSeccomp:\t2$/m);
    assert.match(await service.exec('node', '--eval', PRINT_WORKER), /dist\/worker\/main\.js$/m);
    const write = await podman.tryRun('exec', 'first', 'touch', '/opt/cloche/file');
    assert.match(write.output, /Read-only file system/);

    const { status: created, body } = await (await ApiClient.create(service)).upload(makeBox());
    assert.deepEqual([created, body.status], [201, 'ready'], JSON.stringify(body));
    assert.match(await service.exec('cloche-server', 'users', 'list'), /1 designs/);
    await podman.run('healthcheck', 'run', 'first');
    await podman.run('stop', '--time', '30', 'first');
    const exitCode = await podman.run('inspect', '--format', '{{.State.ExitCode}}', 'first');
    assert.equal(exitCode.trim(), '0');
    await podman.run('rm', 'first');

    const archive = join(podman.folder, 'data.tar');
    await podman.run('volume', 'export', 'data', '--output', archive);
    await podman.run('volume', 'rm', 'data');
    await podman.run('volume', 'create', 'data');
    await podman.run('volume', 'import', 'data', archive);
    const restored = await startService('second');
    const api = await ApiClient.create(restored);
    assert.equal((await api.getDesign(body.id)).status, 'ready');
    assert.deepEqual(await api.getSourceFile(body.id), Buffer.from(makeBox()));
    await podman.run('rm', '--force', 'second');
  });

  it('shows a design on a page, also after a backup and a restore with a folder of the host', async () => {
    const data = 'shown';
    const service = await startService('shown', { data });
    const tokenString = await service.readBootstrapToken();
    const readBootstrapToken = async () => tokenString;
    const api = await ApiClient.create({ origin: service.origin, readBootstrapToken });
    const { body } = await api.upload(makeBox());
    assert.equal(body.status, 'ready', JSON.stringify(body));
    const { token } = await post<{ token: string }>(api, '/v1/tokens', {
      capabilities: ['embed'],
      origins: [SHOP_ORIGIN],
      type: 'api',
      user: '~',
    });
    const response = await api.request('/embed/iframe/v1', toPost({ uri: body.uri }));
    const html = (await response.text()).replace('CLOCHE_EMBED_TOKEN', token);
    const source = /src="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(html);
    assert.equal(new URL(source).origin, service.origin);
    const model = await loadModel(source);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');

    const folder = join(podman.folder, 'backups');
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, 10001, 10001);
    const commands = readBackupCommands({ data, restored: 'restored', folder, image });
    assert.deepEqual(
      commands.map((command) => command.at(-2)),
      ['backup', 'restore'],
    );
    for (const command of commands) await podman.start(...command);
    await podman.run('rm', '--force', 'shown');

    const restored = await startService('restored', { data: 'restored' });
    const { origin } = restored;
    const restoredApi = await ApiClient.create({ origin, readBootstrapToken });
    const { pathname, search } = new URL(source);
    assert.deepEqual(await loadModel(origin + pathname + search), model);
    assert.deepEqual(await restoredApi.getSourceFile(body.id), Buffer.from(makeBox()));
    await podman.run('rm', '--force', 'restored');
  });

  it('runs the demo: the four steps, a page that shows the design, and a page that does not', async () => {
    const waitForOutput = await startDemo(podman, 'demo', image);
    const shop = await waitForOutput(/\(shows the design\): +(http:\S+)/);
    const unlisted = await waitForOutput(/\(shows no design\): +(http:\S+)/);
    await waitForOutput(/The design is ready .*(visitors load)/);
    const html = await (await fetch(shop)).text();
    const [snippet = '', url = ''] = /<iframe src="([^"]+)"/.exec(html) ?? [];
    assert.ok((await (await fetch(unlisted)).text()).includes(snippet), 'both have the same HTML');
    const model = await loadModel(url, shop);
    assert.equal(model.toString('latin1', 0, 4), 'glTF');
    const headers = toFrameHeaders(unlisted);
    assert.equal((await sendGet({ url, headers })).status, 403);
    await podman.run('stop', '--time', '30', 'demo');
    const exitCode = await podman.run('inspect', '--format', '{{.State.ExitCode}}', 'demo');
    assert.equal(exitCode.trim(), '0', await podman.run('logs', 'demo'));
    await podman.run('rm', '--volumes', 'demo');
  });

  it('does not start with the default profile of Docker if the isolation must be strict', async () => {
    const profile = JSON.parse(readFileSync(SECCOMP_PROFILE, 'utf8'));
    const added = profile.syscalls.pop();
    assert.match(added.comment, /bubblewrap/);
    const path = join(podman.folder, 'default.json');
    await writeFile(path, JSON.stringify(profile));
    const flags = readDocumentedFlags().map((flag) => flag.replace(SECCOMP_PROFILE, path));
    const settings = toSettings(await findFreePort());
    const { exitCode, output } = await podman.tryStart('--rm', ...flags, ...settings, image);
    assert.equal(exitCode, 1, output);
    assert.match(output, /CLOCHE_SANDBOX is "strict".*bubblewrap does not work/);
  });

  it('with a browser renders posters, with the sandbox of Chromium', async () => {
    const service = await startService('browser', {
      ofImage: await buildTarget(podman, 'with-browser'),
    });
    const { body } = await (await ApiClient.create(service)).upload(makeBox());
    assert.deepEqual([body.status, body.report?.warnings], ['ready', []]);
    assert.equal(body.poster?.width, 1280);
    const log = await podman.run('logs', 'browser');
    assert.doesNotMatch(log, /less isolation/);
  });
});

/** The network of the machine is also that of the container. */
function toSettings(port: number): string[] {
  const settings = {
    CLOCHE_HOST: '127.0.0.1',
    CLOCHE_PORT: String(port),
    CLOCHE_SANDBOX: 'strict',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

function toPost(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function post<T>(api: ApiClient, path: string, body: object): Promise<T> {
  const response = await api.request(path, toPost(body));
  assert.equal(response.status, 201);
  return (await response.json()) as T;
}

/** The headers of a browser that opens the framed document on a page. */
function toFrameHeaders(pageOrigin: string): Record<string, string> {
  return { 'sec-fetch-dest': 'iframe', referer: `${pageOrigin}/` };
}

/** Loads the framed document on a page, and the model that it names. */
async function loadModel(url: string, pageOrigin = SHOP_ORIGIN): Promise<Buffer> {
  const document = await sendGet({ url, headers: toFrameHeaders(pageOrigin) });
  assert.equal(document.status, 200, document.body.toString());
  const config = /id="viewer-config">(.*?)<\/script>/.exec(document.body.toString())?.[1] ?? '';
  const { grant, model } = JSON.parse(config) as ViewerConfig;
  const modelUrl = new URL(model.url, url).href;
  const { status, body } = await sendGet({ url: modelUrl, headers: { [GRANT_HEADER]: grant } });
  assert.equal(status, 200, modelUrl);
  return body;
}
