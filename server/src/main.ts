import { once } from 'node:events';
import { join } from 'node:path';
import { claimFolder } from './alone.ts';
import { buildApp } from './app.ts';
import { DiskBlobs } from './blobs/disk.ts';
import { ConfigError, readConfig } from './config.ts';
import { migrate } from './database/migrate.ts';
import { openSqlite } from './database/sqlite.ts';
import { readViewerFiles } from './embed/viewer-files.ts';
import { openGrantKey } from './grant-key.ts';
import { openLog, openStandardOutput } from './http/log.ts';
import { stop } from './http/stop.ts';
import { announce, checkPort, handOver, makeFolder } from './start.ts';
import { makeFirstUser } from './tokens/first.ts';
import { Arrivals } from './uploads/arrivals.ts';
import { openWorkshop } from './workshop.ts';

const VIEWER = join(import.meta.dirname, '../../viewer/dist');

try {
  await main();
} catch (error) {
  // A wrong setting is the operator's to mend: words, not a stack.
  if (!(error instanceof ConfigError)) throw error;
  console.error(`cloche: ${error.message}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  using sink = openStandardOutput();
  await makeFolder(config.dataFolder);
  using _alone = claimFolder(config.dataFolder);
  // Before the token is shown: a start that fails should not have used it up.
  await checkPort(config);
  await using database = openSqlite(join(config.dataFolder, 'cloche.sqlite'));
  await migrate(database);
  await makeFirstUser(database, new Date(), (token) => handOver(token, config.firstTokenFile));

  const viewer = await readViewerFiles(VIEWER);
  const log = { sink, level: config.logLevel };
  await using workshop = await openWorkshop({ config, viewer, log: openLog(log) });
  const app = await buildApp({
    database,
    workshop,
    blobs: await DiskBlobs.open(join(config.dataFolder, 'blobs')),
    arrivals: await Arrivals.open(join(config.dataFolder, 'uploads')),
    viewer,
    publicUrl: config.publicUrl,
    grantKey: config.grantKey ?? (await openGrantKey(join(config.dataFolder, 'grant.key'))),
    maxUploadBytes: config.maxUploadBytes,
    log,
  });
  await app.listen({ port: config.port, host: config.host });
  announce(config);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await stop(app, config.stopDeadlineMs);
}
