import { join } from 'node:path';
import type { Config } from '../config.ts';

const S3_VARIABLES = ['CLOCHE_S3_URL', 'CLOCHE_S3_REGION', 'CLOCHE_S3_KEY', 'CLOCHE_S3_SECRET'];
/** In place of a password in the URL of a database. */
const PASSWORD = 'PASSWORD';

/** Says how the settings of the service must change, so that it uses `target` instead: one line for each step, without secrets. */
export function describeSettingChanges(config: Config, target: Config): string[] {
  const lines: string[] = [];
  if (target.dataDirectory !== config.dataDirectory)
    lines.push(`Set CLOCHE_DATA=${target.dataDirectory}`);
  lines.push(...describeDatabaseChanges(config, target));
  const isSamePlace = target.s3 === config.s3 && target.filesDirectory === config.filesDirectory;
  if (!isSamePlace) lines.push(...describeFileChanges(target));
  return lines;
}

/** The folder of the files, unless it is that of the data directory or a bucket: then the service needs no setting for it. */
export function findFilesSetting({
  dataDirectory,
  filesDirectory,
}: Pick<Config, 'dataDirectory' | 'filesDirectory'>): string | undefined {
  return filesDirectory === join(dataDirectory, 'blobs') ? undefined : filesDirectory;
}

function describeDatabaseChanges(config: Config, { database }: Config): string[] {
  if (database.kind === 'sqlite') {
    if (config.database.kind === 'sqlite') return [];
    return ['Keep CLOCHE_GRANT_KEY.', describeRemoval(['CLOCHE_DATABASE_URL', 'CLOCHE_ROLE'])];
  }
  if (config.database.kind === 'postgres' && config.database.url === database.url) return [];
  const url = new URL(database.url);
  const hasPassword = url.password !== '';
  if (hasPassword) url.password = PASSWORD;
  const lines = [`Set CLOCHE_DATABASE_URL=${url.href}`];
  if (hasPassword) lines.push(`Replace ${PASSWORD} in this URL by the password.`);
  // Preview links and sessions of visitors are signed with it.
  return [
    ...lines,
    config.grantKey === undefined
      ? `Set CLOCHE_GRANT_KEY_FILE=${join(config.dataDirectory, 'grant.key')}`
      : 'Keep CLOCHE_GRANT_KEY.',
  ];
}

function describeFileChanges(target: Config): string[] {
  if (target.s3 !== undefined) {
    const { endpoint, bucket, prefix, region } = target.s3;
    return [
      describeRemoval(['CLOCHE_FILES']),
      `Set CLOCHE_S3_URL=${endpoint}/${bucket}/${prefix}`,
      `Set CLOCHE_S3_REGION=${region}`,
      'Set CLOCHE_S3_KEY and CLOCHE_S3_SECRET, or the same with _FILE, to the values of CLOCHE_TO_S3_KEY and CLOCHE_TO_S3_SECRET.',
    ];
  }
  const removed = describeRemoval([...S3_VARIABLES, 'CLOCHE_CACHE_MB']);
  const folder = findFilesSetting(target);
  return folder === undefined
    ? [describeRemoval(['CLOCHE_FILES']), removed]
    : [`Set CLOCHE_FILES=${folder}`, removed];
}

function describeRemoval(names: string[]): string {
  return `Remove ${names.join(', ')}, also with _FILE, if set.`;
}
