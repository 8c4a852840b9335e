import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { NGINX_CONFIGURATION } from '../scripts/nginx.ts';
import { skipWithout } from '../scripts/optional-programs.ts';
import { startRadosGateway } from '../scripts/radosgw/radosgw.ts';
import { readConfig } from '../server/src/config.ts';
import { interpolate, readCompose } from './container/compose.ts';

const { services, volumes } = readCompose();
const SECRETS = {
  CLOCHE_GRANT_KEY: '0123456789abcdef'.repeat(4),
  POSTGRES_PASSWORD: '0123456789abcdef',
  S3_SECRET: 'fedcba9876543210',
};
const DOMAINS = { DOMAIN: 'cloche.example.com', CDN_DOMAIN: 'cdn.example.com' };
const NODES = ['web-1', 'web-2', 'worker-1', 'worker-2'];

/** Reads the settings of a node as the service does. */
function readSettings(name: string, env: Record<string, string>) {
  const entries = Object.entries(services[name]?.environment ?? {});
  return readConfig(
    Object.fromEntries(entries.map(([key, text]) => [key, interpolate(text, env)])),
  );
}

describe('compose.yaml', () => {
  it('starts one service by default, and the others with a profile', () => {
    const profiles = Object.entries(services).map(([name, service]) => [name, service.profiles]);
    const { cloche, caddy, ...others } = Object.fromEntries(profiles);
    assert.deepEqual([cloche, caddy], [undefined, ['https']]);
    for (const [name, profile] of Object.entries(others))
      assert.deepEqual(profile, ['scale'], name);
    assert.deepEqual(Object.keys(others).toSorted(), [
      'bucket',
      'nginx',
      'postgres',
      's3',
      ...NODES,
    ]);
  });

  it('has valid settings of one service', () => {
    assert.equal(readSettings('cloche', {}).publicUrl, 'http://localhost:8787');
    assert.equal(readSettings('cloche', DOMAINS).publicUrl, 'https://cloche.example.com');
  });

  it('has valid settings of each node, which differ only by the role', () => {
    const settings = NODES.map((name) => readSettings(name, { ...SECRETS, ...DOMAINS }));
    assert.deepEqual(
      settings.map(({ role }) => role),
      ['web', 'web', 'worker', 'worker'],
    );
    const [withoutRole] = settings.map(({ role: _, ...others }) => others);
    for (const { role: _, ...others } of settings) assert.deepEqual(others, withoutRole);
    const [first] = settings;
    assert.equal(first?.publicUrl, 'https://cloche.example.com');
    assert.equal(first?.cdn?.origin, 'https://cdn.example.com');
    assert.equal(first?.s3?.secretAccessKey, SECRETS.S3_SECRET);
    const [local] = NODES.map((name) => readSettings(name, SECRETS));
    assert.deepEqual(
      [local?.publicUrl, local?.cdn?.origin],
      ['http://localhost:8787', 'http://localhost:8788'],
    );
  });

  it('refuses to start nodes without a key', () => {
    assert.throws(() => readSettings('web-1', {}), { message: /^CLOCHE_GRANT_KEY is empty/ });
  });

  it('gives each node a data directory of its own', () => {
    const used = NODES.map((name) => services[name]?.volumes);
    assert.deepEqual(
      used,
      NODES.map((name) => [`${name}:/data`]),
    );
    for (const name of NODES) assert.ok(name in volumes, name);
  });

  it('gives nginx the fixed addresses of its web nodes', () => {
    const addresses = ['web-1', 'web-2'].map(
      (name) => `${name}:${services[name]?.networks?.default?.ipv4_address}`,
    );
    assert.deepEqual(addresses, ['web-1:172.31.77.11', 'web-2:172.31.77.12']);
    assert.deepEqual(services.nginx?.extra_hosts, addresses);
  });

  it('runs nginx with the configuration of the guide, for its web nodes and its address', async () => {
    const { volumes: mounted = [], command = [], depends_on: dependencies } = services.nginx ?? {};
    assert.ok(mounted.includes('./deploy/nginx.conf:/etc/cloche.conf:ro'));
    assert.deepEqual(dependencies, NODES);
    const configuration = await readFile(NGINX_CONFIGURATION, 'utf8');
    const servers = [...configuration.matchAll(/^ {2}server ([\w-]+):8787 /gm)];
    assert.deepEqual(
      servers.map(([, name]) => name),
      ['web-1', 'web-2'],
    );
    const [write = ''] = String(command[2]).split(' > ');
    const script = write.replaceAll('$$', '$').replace('/etc/cloche.conf', NGINX_CONFIGURATION);
    const env = { PATH: process.env.PATH, PUBLIC_HOST: 'localhost:8787' };
    assert.equal(
      execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }),
      configuration.replace('Host cloche.example.com', 'Host localhost:8787'),
    );
  });
});

test('the service `bucket` of compose.yaml creates the bucket, also a second time', {
  skip: skipWithout('radosgw'),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const gateway = await startRadosGateway(folder);
  t.after(() => gateway[Symbol.asyncDispose]());
  const { endpoint, accessKeyId, secretAccessKey } = gateway;
  const [, ...args] = services.bucket?.entrypoint ?? [];
  const env = {
    S3_ENDPOINT: endpoint,
    AWS_REGION: services.bucket?.environment?.AWS_REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  // In the image, this is the directory of the service.
  const cwd = join(import.meta.dirname, '../server');
  for (const round of [1, 2]) {
    const { status, stderr } = spawnSync(process.execPath, args, { env, cwd, encoding: 'utf8' });
    assert.equal(status, 0, `${round}: ${stderr}`);
  }
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  t.after(() => client.destroy());
  const { Buckets: buckets = [] } = await client.send(new ListBucketsCommand({}));
  assert.deepEqual(
    buckets.map(({ Name }) => Name),
    ['designs'],
  );
});
