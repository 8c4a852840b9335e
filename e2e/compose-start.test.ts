import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { skipUnlessSelected, skipWithout } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { buildTarget, createBaseImages } from './container/build-images.ts';
import { DockerHost } from './container/docker-host.ts';
import { startVisitor } from './container/embed-visitor.ts';
import { Podman } from './container/podman.ts';
import { buildRegistryImages } from './container/registry-images.ts';

const NODES = ['web-1', 'web-2', 'worker-1', 'worker-2'];
/** Views after each change: enough that nginx asks both web nodes. */
const VIEWS = 50;

const skip =
  skipWithout('podman', 'buildah', 'runc', 'mmdebstrap') ||
  (process.getuid?.() !== 0 && 'needs root') ||
  skipUnlessSelected('test:compose');

describe('compose.yaml, with Docker', { skip }, () => {
  let podman: Podman;
  let docker: DockerHost;

  /** Builds all images of compose.yaml. Returns their archive. */
  async function buildImages(): Promise<string> {
    await createBaseImages(podman);
    const image = 'docker.io/library/cloche:latest';
    await podman.run('tag', await buildTarget(podman, 'with-browser'), image);
    const images = [image, ...(await buildRegistryImages(podman))];
    const archive = join(podman.folder, 'images.tar');
    const options = ['--quiet', '--format', 'docker-archive', '--multi-image-archive'];
    await podman.run('save', ...options, '--output', archive, ...images);
    return archive;
  }

  before(async () => {
    podman = new Podman();
    const starting = async () => {
      docker = await DockerHost.start(join(podman.folder, 'docker'));
    };
    const [archive] = await Promise.all([buildImages(), starting()]);
    await docker.load(archive);
  });

  after(async () => {
    await docker?.[Symbol.asyncDispose]();
    await podman[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    const all = ['--profile', 'https', '--profile', 'scale'];
    await docker.compose([...all, 'down', '--volumes', '--timeout', '1']);
  });

  /** Reads a file in the container of one of the services, when it exists. */
  function readFile(path: string, ...services: string[]): Promise<string> {
    const read = async () => {
      for (const service of services) {
        const args = ['compose', 'exec', '--no-TTY', service, 'cat', path];
        const { exitCode, output } = await docker.tryRun(args);
        if (exitCode === 0) return output;
      }
      return undefined;
    };
    return waitUntil(`${path} of ${services.join(', ')}`, read, { timeoutMs: 240_000 });
  }

  const readBootstrapToken = async (...services: string[]) =>
    (await readFile('/data/bootstrap-token', ...services)).trim();

  it('starts one service by default, which makes models and posters', async () => {
    await docker.compose(['up', '--detach']);
    const origin = 'http://localhost:8787';
    const tokenString = await readBootstrapToken('cloche');
    const visitor = await startVisitor(docker, { origin, tokenString });
    const { failures, views: _, ...report } = await visitor.stop();
    assert.deepEqual(failures, []);
    assert.deepEqual(report, { origin, modelOrigin: origin, hasPoster: true, warnings: [] });
    const services = await docker.compose(['ps', '--services']);
    assert.equal(services.trim(), 'cloche');
  });

  it('with a domain, serves https with Caddy', async () => {
    await docker.compose(['--profile', 'https', 'up', '--detach'], { DOMAIN: 'localhost' });
    const authority = '/data/caddy/pki/authorities/local/root.crt';
    const certificates = join(podman.folder, 'authority.crt');
    await writeFile(certificates, await readFile(authority, 'caddy'));
    const origin = 'https://localhost';
    const tokenString = await readBootstrapToken('cloche');
    const visitor = await startVisitor(docker, { origin, tokenString, certificates });
    const report = await visitor.stop();
    assert.deepEqual([report.origin, report.modelOrigin], [origin, origin]);
    assert.deepEqual(report.failures, []);
  });

  it('with the profile scale: visitors do not notice that a web node is stopped', async () => {
    const names = ['CLOCHE_GRANT_KEY', 'POSTGRES_PASSWORD', 'S3_SECRET'];
    const secrets = Object.fromEntries(
      names.map((name) => [name, randomBytes(32).toString('hex')]),
    );
    const compose = (...args: string[]) => docker.compose(['--profile', 'scale', ...args], secrets);
    await compose('up', '--detach', 'nginx');
    const origin = 'http://localhost:8787';
    const tokenString = await readBootstrapToken('web-1', 'web-2');
    const visitor = await startVisitor(docker, { origin, tokenString });
    const report = await visitor.waitForViews(VIEWS);
    const { modelOrigin, hasPoster, warnings, failures } = report;
    assert.deepEqual(
      { origin: report.origin, modelOrigin, hasPoster, warnings, failures },
      { origin, modelOrigin: 'http://localhost:8788', hasPoster: true, warnings: [], failures: [] },
    );

    await compose('stop', 'web-1');
    assert.deepEqual((await visitor.waitForViews(VIEWS)).failures, []);
    assert.deepEqual((await visitor.stop()).failures, []);

    // nginx knows the address of a node that is stopped.
    await compose('restart', 'nginx');
    const restarted = await startVisitor(docker, { origin, tokenString });
    assert.deepEqual((await restarted.stop()).failures, []);

    // It finds its nodes after they were started in another order.
    await compose('stop', ...NODES);
    for (const node of NODES.toReversed()) await compose('up', '--detach', '--no-deps', node);
    const updated = await startVisitor(docker, { origin, tokenString });
    await updated.waitForViews(VIEWS);
    assert.deepEqual((await updated.stop()).failures, []);
  });
});
