import { parseArgs } from 'node:util';
import { isBackupRunning } from '../blobs/backup-lease.ts';
import type { Command } from './command.ts';
import { openServiceData } from './open-service-data.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } } as const;

/** Deletes unreferenced blobs now. */
export const gcCommand: Command = {
  summary: 'Delete files that no row names.',
  usage: `Usage: cloche-server gc [--dry-run] [--json]

Deletes the files that no design names any more and that were stored more than a day ago, as the service
does every hour. The service may run, except with SQLite and a bucket. While a backup is made, nothing is deleted.

  --dry-run  only count them
  --json     print the result as JSON`,

  async run(args, { config, output, now }) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is too much.`);
    const { 'dry-run': dryRun = false, json = false } = values;
    const { collectGarbage } = await import('../installation/collect-garbage.ts');
    const { lockInstallations, openUsedBlobs } = await import(
      '../installation/open-installation.ts'
    );
    await using resources = new AsyncDisposableStack();
    const data = resources.use(await openServiceData(config, { statementTimeoutMs: 0 }));
    // In memory, the service keeps blobs that it is storing. A bucket has no operation that checks the time and deletes.
    const isBucket = config.s3 !== undefined;
    const mustStop = config.database.kind === 'sqlite' && isBucket && !dryRun;
    if (mustStop) resources.use(await lockInstallations([config]));
    const { blobs } = resources.use(await openUsedBlobs(config));
    const { database } = data;
    if (!dryRun && (await isBackupRunning(database)))
      output.note('A backup is being made, so nothing is deleted.');
    const result = await collectGarbage({ database, blobs, isBucket, dryRun, now: now() });
    if (json) output.print(JSON.stringify({ ...result, dryRun }));
    else {
      const verb = dryRun ? 'Would delete' : 'Deleted';
      output.print(`${verb} ${result.count} files with ${result.bytes} bytes.`);
    }
    return 0;
  },
};
