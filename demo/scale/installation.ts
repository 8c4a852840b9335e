import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NGINX_CONFIGURATION, startNginx } from '../../scripts/nginx.ts';
import { findProgram } from '../../scripts/optional-programs.ts';
import { createBucket } from '../../scripts/radosgw/create-bucket.ts';
import { startRadosGateway } from '../../scripts/radosgw/radosgw.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { runSql } from '../../server/testing/run-sql.ts';
import { type DemoService, startDemoService } from '../demo-service.ts';
import { findPort } from '../find-port.ts';
import { printHeading, printLine } from '../terminal.ts';

/** Several nodes behind nginx. */
export type Installation = {
  /** The address of nginx. */
  origin: string;
  /** The token string of the bootstrap token. */
  token: string;
  web: readonly [DemoService, DemoService];
  workers: readonly [DemoService, DemoService];
  /** Lists the designs whose jobs a worker has. */
  listDesignsInWork(worker: DemoService): Promise<string[]>;
};

/** Starts PostgreSQL, an S3 server if it is installed, four nodes and nginx. They are stopped with `resources`. */
export async function startInstallation(
  folder: string,
  resources: AsyncDisposableStack,
): Promise<Installation> {
  printHeading('Start');
  const publicPort = await findPort(8887, 'nginx');
  const cdnPort = await findPort(8888, 'the cache for models');
  const publicHost = `localhost:${publicPort}`;
  const postgres = resources.use(await startPostgresServer());
  printLine('  PostgreSQL, from npm');
  const settings = {
    ...(await openFileStorage(folder, resources)),
    CLOCHE_DATABASE_URL: postgres.url,
    CLOCHE_GRANT_KEY: randomBytes(32).toString('hex'),
    CLOCHE_PUBLIC_URL: `http://${publicHost}`,
    CLOCHE_CDN_URL: `http://localhost:${cdnPort}`,
    CLOCHE_TRUSTED_PROXIES: '127.0.0.1',
    CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
  };
  const start = async (role: 'web' | 'worker', number: number): Promise<DemoService> => {
    const name = `${role === 'web' ? 'web node' : 'worker'} ${number}`;
    const port = await findPort((role === 'web' ? 8890 : 8892) + number, name);
    const node = resources.use(await startDemoService(port, { ...settings, CLOCHE_ROLE: role }));
    printLine(`  ${name}: process ${node.pid}, port ${port}`);
    return node;
  };
  // The first node creates the tables and the token.
  const first = await start('web', 1);
  const second = await start('web', 2);
  const workers = [await start('worker', 1), await start('worker', 2)] as const;
  const nginxFolder = join(folder, 'nginx');
  await mkdir(nginxFolder);
  resources.use(
    await startNginx({
      folder: nginxFolder,
      configuration: await readFile(NGINX_CONFIGURATION, 'utf8'),
      publicHost,
      cdnPort,
      nodePorts: [toPort(first), toPort(second)],
    }),
  );
  printLine(`  nginx: ${settings.CLOCHE_PUBLIC_URL}, and for models ${settings.CLOCHE_CDN_URL}`);
  return {
    origin: settings.CLOCHE_PUBLIC_URL,
    token: first.token,
    web: [first, second],
    workers,
    async listDesignsInWork({ folder }) {
      const id = await readFile(join(folder, 'data/node-id'), 'utf8');
      const { rows } = await runSql(
        postgres.url,
        `select design_id from job join revision on revision.id = job.revision_id where job.node = '${id.trim()}' and leased_until is not null`,
      );
      return rows.map(({ design_id: designId }) => designId);
    },
  };
}

/** Returns the settings of the place for the files: a bucket, or a folder that all nodes share. */
async function openFileStorage(
  folder: string,
  resources: AsyncDisposableStack,
): Promise<Record<string, string>> {
  if (findProgram('radosgw') === undefined) {
    printLine('  A shared folder for files: radosgw, an S3 server, is not installed');
    return { CLOCHE_FILES: join(folder, 'files') };
  }
  const gatewayFolder = join(folder, 'radosgw');
  await mkdir(gatewayFolder);
  const gateway = resources.use(await startRadosGateway(gatewayFolder));
  printLine(`  An S3 server, radosgw: ${gateway.endpoint}`);
  return createBucket(gateway, 'designs');
}

const toPort = ({ origin }: DemoService) => Number(new URL(origin).port);
