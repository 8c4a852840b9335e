import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { getOnlyArgument } from './get-only-argument.ts';
import { openAgain, openServiceData } from './open-service-data.ts';
import { createProgressPrinter } from './print-progress.ts';

/** Backs up an installation to a folder. */
export const backupCommand: Command = {
  summary: 'Back up the database and the files to a folder.',
  usage: `Usage: cloche-server backup <folder>

Writes the rows and all files of designs to a folder, while the service runs or not. A second backup to the
same folder copies only new files, and replaces the first one when it is complete. It can be interrupted and
run again. Uploads that are not complete are left out.

The folder contains all models, the hashes of tokens, and the grant key if it is in the data directory.
Only the user of the service can read it. See docs/backup.md.`,

  async run(args, { config, output }) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
    const folder = resolve(getOnlyArgument(positionals, 'the folder of the backup'));
    // Loaded when they are needed: other commands start faster without them.
    const { backUp } = await import('../installation/back-up.ts');
    const { openUsedBlobs } = await import('../installation/open-installation.ts');
    const { getGrantKeyFile } = await import('../installation/grant-key-file.ts');
    await using data = await openServiceData(config, { statementTimeoutMs: 0 });
    await using leaseData = openAgain(config, data);
    await using files = await openUsedBlobs(config);
    const { manifest, copiedBlobs, copiedBytes } = await backUp({
      database: data.database,
      blobs: files.blobs,
      kind: {
        database: config.database.kind,
        files: config.s3 === undefined ? 'folder' : 's3',
      },
      grantKeyFile: getGrantKeyFile(config),
      folder,
      onProgress: createProgressPrinter(output),
      leaseData,
    });
    output.note(
      `The backup is complete: ${manifest.rows.design ?? 0} designs and ${manifest.blobs.count} files with ${manifest.blobs.bytes} bytes. Copied now: ${copiedBlobs} files with ${copiedBytes} bytes.`,
    );
    if (manifest.grantKeySha256 === null)
      output.note('It does not contain the grant key, which is a setting: keep that too.');
    output.print(folder);
  },
};
