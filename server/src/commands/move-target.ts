import { resolve } from 'node:path';
import { parseS3Url, type S3Settings } from '../blobs/s3-settings.ts';
import type { Config, DatabaseConfig, MoveTargetSecrets } from '../config.ts';
import { UsageError } from './usage-error.ts';

type MoveArguments = { 'to-database'?: string; 'to-s3'?: string; 'to-files'?: string };

/** Returns the settings of the installation that `move` writes to. @throws {UsageError} */
export function parseMoveTarget(
  { 'to-database': toDatabase, 'to-s3': toS3, 'to-files': toFiles }: MoveArguments,
  config: Config,
): Config {
  if (toS3 !== undefined && toFiles !== undefined)
    throw new UsageError('--to-s3 and --to-files are both set. Write one of them.');
  const target = { ...config };
  if (toDatabase !== undefined) {
    const isUrl = /^postgres(ql)?:/i.test(toDatabase);
    target.database = isUrl ? parseDatabaseUrl(toDatabase, config.moveTarget) : { kind: 'sqlite' };
    if (!isUrl) target.dataDirectory = resolve(toDatabase);
  }
  if (toS3 !== undefined) {
    target.s3 = parseBucket(toS3, config.moveTarget);
    target.filesDirectory = undefined;
  }
  if (toFiles !== undefined) {
    target.s3 = undefined;
    target.filesDirectory = resolve(toFiles);
  }
  return target;
}

/** The message never contains the URL: it may contain a password. */
function parseDatabaseUrl(text: string, { databasePassword }: MoveTargetSecrets): DatabaseConfig {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^\/[^/]+$/.test(url.pathname))
    throw new UsageError(
      '--to-database is not the URL of a PostgreSQL database. It must be like "postgres://user@host:5432/database", or the path of a data directory.',
    );
  if (url.password !== '' || url.searchParams.has('password'))
    throw new UsageError(
      '--to-database contains a password, which other users of this machine can see. Leave it out, and set CLOCHE_TO_DATABASE_PASSWORD or CLOCHE_TO_DATABASE_PASSWORD_FILE.',
    );
  if (databasePassword !== undefined) url.password = encodeURIComponent(databasePassword);
  return { kind: 'postgres', url: url.href };
}

function parseBucket(text: string, { s3Region, s3Key, s3Secret }: MoveTargetSecrets): S3Settings {
  const location = parseS3Url(text);
  if (location === undefined)
    throw new UsageError(
      '--to-s3 is not the address of a bucket, such as "https://s3.example.com/bucket" or "https://s3.example.com/bucket/folder", with no key and no query.',
    );
  if (s3Key === undefined || s3Secret === undefined)
    throw new UsageError(
      '--to-s3 needs the key of the bucket: set CLOCHE_TO_S3_KEY and CLOCHE_TO_S3_SECRET, or CLOCHE_TO_S3_KEY_FILE and CLOCHE_TO_S3_SECRET_FILE.',
    );
  return { ...location, region: s3Region, accessKeyId: s3Key, secretAccessKey: s3Secret };
}
