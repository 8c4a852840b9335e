import { parseS3Url, type S3Settings } from './blobs/s3-settings.ts';
import {
  ConfigError,
  type Environment,
  parseUrl,
  readInteger,
  readSecret,
  readText,
} from './environment.ts';
import type { CdnSettings } from './http/cdn-settings.ts';

/** The region that S3 servers of one's own usually have. */
const DEFAULT_S3_REGION = 'us-east-1';

/** Reads the bucket that the files of designs are stored in. @throws {ConfigError} */
export function readS3Settings(env: Environment): S3Settings | undefined {
  const text = readSecret(env, 'CLOCHE_S3_URL');
  if (text === undefined) {
    const name = Object.keys(env).find((variable) => variable.startsWith('CLOCHE_S3_'));
    if (name === undefined) return undefined;
    throw new ConfigError(`${name} is set without CLOCHE_S3_URL. Set both, or neither.`);
  }
  const location = parseS3Url(text);
  if (location === undefined) {
    // A key may be in front of "@" or in a query.
    const value = /[?#@]/.test(text) ? 'is not valid' : `is "${text}"`;
    throw new ConfigError(
      `CLOCHE_S3_URL ${value}. It must be the address of a bucket, such as "https://s3.example.com/bucket" or "https://s3.example.com/bucket/folder", with no key and no query.`,
    );
  }
  return {
    ...location,
    region: readRegion(env, 'CLOCHE_S3_REGION'),
    accessKeyId: readRequiredSecret(env, 'CLOCHE_S3_KEY'),
    secretAccessKey: readRequiredSecret(env, 'CLOCHE_S3_SECRET'),
  };
}

/** Whether a bucket is set. */
export function hasBucket(env: Environment): boolean {
  return 'CLOCHE_S3_URL' in env || 'CLOCHE_S3_URL_FILE' in env;
}

/** Reads a region. Other characters cannot be in the signature of a request. @throws {ConfigError} */
export function readRegion(env: Environment, name: string): string {
  const region = readSecret(env, name) ?? DEFAULT_S3_REGION;
  if (/^[\w-]+$/.test(region)) return region;
  throw new ConfigError(`${name} is "${region}". It must be a name such as "us-east-1".`);
}

/** Reads a key of a bucket. The message does not contain it. @throws {ConfigError} */
export function readS3Secret(env: Environment, name: string): string | undefined {
  const secret = readSecret(env, name);
  if (secret === undefined || /^[ -~]+$/.test(secret)) return secret;
  throw new ConfigError(
    `${name} is empty, or has characters that are not printable ASCII. Set ${name} or ${name}_FILE to the key as you have got it.`,
  );
}

/** Reads how many bytes of files from the bucket are kept. @throws {ConfigError} */
export function readCacheBytes(env: Environment): number {
  const range = { fallback: 2048, min: 0, max: 100_000_000 };
  const mebibytes = readInteger(env, 'CLOCHE_CACHE_MB', range);
  if (!('CLOCHE_CACHE_MB' in env) || hasBucket(env)) return mebibytes * 1024 ** 2;
  throw new ConfigError(
    'CLOCHE_CACHE_MB is set without CLOCHE_S3_URL. Only files of a bucket are cached in the data directory: set both, or neither.',
  );
}

function readRequiredSecret(env: Environment, name: string): string {
  const secret = readS3Secret(env, name);
  if (secret !== undefined) return secret;
  throw new ConfigError(`CLOCHE_S3_URL needs ${name} or ${name}_FILE: the key of the bucket.`);
}

const LOOPBACK_URL = /^http:\/\/(localhost|[a-z0-9-]+\.localhost|127\.[\d.]+|\[::1\])(:\d+)?$/;

/** Reads the CDN that framed documents load artifacts from. @throws {ConfigError} */
export function readCdnSettings(env: Environment): CdnSettings | undefined {
  const minutes = readInteger(env, 'CLOCHE_TICKET_MINUTES', { fallback: 60, min: 10, max: 1440 });
  const text = readText(env, 'CLOCHE_CDN_URL');
  if (text === undefined) {
    if (!('CLOCHE_TICKET_MINUTES' in env)) return undefined;
    throw new ConfigError(
      'CLOCHE_TICKET_MINUTES is set without CLOCHE_CDN_URL. Set both, or neither.',
    );
  }
  const origin = parseUrl(text, 'CLOCHE_CDN_URL');
  if (origin.startsWith('https:') || LOOPBACK_URL.test(origin))
    return { origin, ticketMs: minutes * 60_000 };
  throw new ConfigError(
    `CLOCHE_CDN_URL is "${text}". It must begin with https: a ticket in a URL opens a file for everyone who reads it. Only loopback names may have http.`,
  );
}
