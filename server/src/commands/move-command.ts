import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DiskBlobStore } from '../blobs/disk-blob-store.ts';
import type { Config } from '../config.ts';
import type { Command, CommandOutput } from './command.ts';
import { describeSettingChanges, findFilesSetting } from './describe-setting-changes.ts';
import { parseMoveTarget } from './move-target.ts';
import { openServiceData } from './open-service-data.ts';
import { createProgressPrinter } from './print-progress.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  'to-database': { type: 'string' },
  'to-s3': { type: 'string' },
  'to-files': { type: 'string' },
} as const;

/** Copies an installation to another database, or another place for files. */
export const moveCommand: Command = {
  summary: 'Copy everything to another database, or another place for files.',
  usage: `Usage: cloche-server move [--to-database <URL or data directory>] [--to-s3 <URL> | --to-files <folder>]

Copies the installation that the settings describe to an empty one, and checks every row and file there. The
old one is not changed. No service may use either of them. If it is interrupted, run it again. To move back,
use the new settings and name the old kind.

  --to-database  postgres://user@host/database, or a data directory for SQLite
  --to-s3        https://endpoint/bucket or https://endpoint/bucket/folder
  --to-files     a folder. That of the data directory is its folder "blobs"

Arguments are visible to other users of the machine, so secrets are variables (each also with _FILE):
CLOCHE_TO_DATABASE_PASSWORD, CLOCHE_TO_S3_KEY, CLOCHE_TO_S3_SECRET. The region is CLOCHE_TO_S3_REGION.`,

  async run(args, { config, output }) {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (Object.keys(values).length === 0)
      throw new UsageError('Write --to-database, --to-s3, --to-files, or several of them.');
    const target = parseMoveTarget(values, config);
    const { move } = await import('../installation/move.ts');
    const { describeDatabase, describeFiles } = await import(
      '../installation/open-installation.ts'
    );
    const isSame = (describe: (config: Config) => string) => describe(config) === describe(target);
    if (isSame(describeDatabase) && isSame(describeFiles))
      throw new UsageError('The installation is there already: name another database or place.');
    await using data = await openServiceData(config, { statementTimeoutMs: 0 });
    const { rows, blobs, copiedBlobs } = await move({
      from: config,
      to: target,
      database: data.database,
      onProgress: createProgressPrinter(output),
    });
    output.note(
      `Everything is in ${describeDatabase(target)} and ${describeFiles(target)}, and was checked: ${rows.design ?? 0} designs, ${blobs.count} files with ${blobs.bytes} bytes (copied now: ${copiedBlobs}).`,
    );
    await printNextSteps(config, target, output);
    return 0;
  },
};

async function printNextSteps(config: Config, target: Config, output: CommandOutput) {
  const changes = describeSettingChanges(config, target);
  output.note('Change the settings of the service, on every node:');
  for (const change of changes) output.note(change);
  const isElsewhere = target.s3 !== undefined || findFilesSetting(target) !== undefined;
  const local = join(target.dataDirectory, 'blobs');
  if (isElsewhere && (await hasBlobs(local)))
    output.note(`Rename "${local}": the service reads one place only.`);
  output.note(
    'Then start the service. Never start one with the old settings again: it would change the same files, or other data.',
  );
}

async function hasBlobs(directory: string): Promise<boolean> {
  if (!existsSync(directory)) return false;
  for await (const _ of DiskBlobStore.openExisting(directory).list()) return true;
  return false;
}
