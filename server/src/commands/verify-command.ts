import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { VerifyReport } from '../installation/verify.ts';
import type { Command, CommandContext, CommandOutput } from './command.ts';
import { openServiceData } from './open-service-data.ts';
import { createProgressPrinter } from './print-progress.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = { json: { type: 'boolean' }, backup: { type: 'string' } } as const;

/** Checks an installation, or a backup. */
export const verifyCommand: Command = {
  summary: 'Check all rows and files.',
  usage: `Usage: cloche-server verify [--json]
       cloche-server verify --backup <folder>

Checks each row, and reads each file that a row names: it must exist, with the right size and SHA-256. The
service may run. The exit code is 1 if something is wrong. Files that no row names are counted, and are no
error: the service deletes them when they are a day old.

  --json    print the result as JSON
  --backup  check a backup, as "restore" does, instead of the installation`,

  async run(args, context) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is too much.`);
    const { backup, json = false } = values;
    if (backup !== undefined) return verifyBackup(backup, context);
    const { config, output } = context;
    const { verifyInstallation } = await import('../installation/verify.ts');
    const { openUsedBlobs } = await import('../installation/open-installation.ts');
    await using data = await openServiceData(config, { statementTimeoutMs: 0 });
    await using files = await openUsedBlobs(config);
    const report = await verifyInstallation({
      database: data.database,
      blobs: files.blobs,
      onProgress: createProgressPrinter(output),
    });
    if (json) output.print(JSON.stringify(report));
    else printReport(report, output);
    return report.rowDefects.length + report.blobDefects.length > 0 ? 1 : 0;
  },
};

async function verifyBackup(folder: string, { output }: CommandContext): Promise<number> {
  const { openBackup } = await import('../installation/open-backup.ts');
  await using backup = await openBackup(resolve(folder), createProgressPrinter(output));
  output.note(`The backup of ${backup.manifest.createdAt} is complete and correct.`);
  return 0;
}

function printReport(report: VerifyReport, output: CommandOutput): void {
  const { rows, rowDefects, blobs, blobDefects, unreferenced } = report;
  for (const { table, key, reason } of rowDefects)
    output.print(`row of ${table} ${key}: ${reason}`);
  for (const { ref, reason } of blobDefects) output.print(`file ${ref} ${reason}`);
  const rowCount = Object.values(rows).reduce((total, count) => total + count, 0);
  output.note(
    `${rowCount} rows, ${rowDefects.length} not valid. ${blobs.count} files with ${blobs.bytes} bytes, ${blobDefects.length} missing or damaged.`,
  );
  if (unreferenced.count > 0) {
    output.note(
      `No row names ${unreferenced.count} files with ${unreferenced.bytes} bytes: the service deletes them when they are a day old.`,
    );
  }
}
