import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { getOnlyArgument } from './get-only-argument.ts';
import { createProgressPrinter } from './print-progress.ts';

/** Restores a backup to an empty installation. */
export const restoreCommand: Command = {
  summary: 'Restore a backup to an empty installation.',
  usage: `Usage: cloche-server restore <folder>

Writes a backup to the installation that the settings describe, such as CLOCHE_DATA, CLOCHE_DATABASE_URL or
CLOCHE_S3_URL: it may be of another kind than the one that was backed up. It must be empty, and no service
may use it. The whole backup is checked before anything is changed. If it is interrupted, run it again.`,

  async run(args, { config, output }) {
    const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
    const folder = resolve(getOnlyArgument(positionals, 'the folder of the backup'));
    const { restore } = await import('../installation/restore.ts');
    const onProgress = createProgressPrinter(output);
    const { manifest, grantKeyRestored } = await restore({ folder, config, onProgress });
    output.note(
      `The backup of ${manifest.createdAt} was restored: ${manifest.rows.design ?? 0} designs and ${manifest.blobs.count} files.`,
    );
    if (!grantKeyRestored) {
      output.note(
        'Set CLOCHE_GRANT_KEY to the same key as before: with another one, preview links are not valid.',
      );
    }
  },
};
