import { accessSync, constants, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TRIANGLE_BUDGET_RANGE } from '@cloche/contract/design-fields';
import { NODE_ROLES, type NodeRole } from '@cloche/contract/node';
import type { BrowserOption } from '@cloche/pipeline/poster/poster-renderer';
import type { SandboxLevel } from '@cloche/pipeline/sandbox/sandbox-report';
import { parseS3Url, type S3Settings } from './blobs/s3-settings.ts';
import { type AddressRange, parseAddressRange } from './http/client-address.ts';
import { type ClientLimits, DEFAULT_CLIENT_LIMITS } from './http/limits.ts';
import { MAX_QUOTA, type QuotaLimits, toBytes } from './quotas/quota.ts';

/** The settings of the service, validated. */
export type Config = {
  port: number;
  host: string;
  dataDirectory: string;
  /** Where metrics are served. Undefined: nowhere. */
  metrics: { port: number; host: string } | undefined;
  database: DatabaseConfig;
  /** What this process does. With SQLite: `all`. */
  role: NodeRole;
  /** The public origin of the service. */
  publicUrl: string;
  /** Earlier public origins. Embeds that contain them keep working. */
  formerOrigins: readonly string[];
  maxUploadBytes: number;
  /** Longest side of a texture that visitors load, in pixels. */
  maxTextureSize: number;
  /** Triangles of a model that visitors load, unless its design has a number of its own. */
  maxTriangles: number;
  /** The file that the bootstrap token is written to. Undefined: it is printed. */
  bootstrapTokenFile: string | undefined;
  /** At least 32 bytes. Undefined: created at the first start and stored in the data directory. */
  grantKey: Buffer | undefined;
  logLevel: string;
  shutdownTimeoutMs: number;
  /** How workers must be isolated. `auto`: as well as the system supports it. */
  sandboxLevel: SandboxLevel | 'auto';
  /** Maximum number of files that are processed at the same time. */
  workers: number | 'auto';
  /** The browser that renders posters. */
  browser: BrowserOption;
  /** The bucket that the files of designs are stored in. Undefined: the data directory. */
  s3: S3Settings | undefined;
  /** The folder of the files of designs, which several nodes may share. Undefined: in the data directory, or in a bucket. */
  filesDirectory: string | undefined;
  /** Proxies whose `X-Forwarded-For` names the client. */
  trustedProxies: readonly AddressRange[];
  limits: ClientLimits;
  /** The quotas of users without quotas of their own. */
  quotas: QuotaLimits;
};

/** Where the rows are stored: in a file of the data directory, or in PostgreSQL. */
export type DatabaseConfig = { kind: 'sqlite' } | { kind: 'postgres'; url: string };

type Environment = Record<string, string | undefined>;

/** An invalid setting. The message names the variable, what is wrong, and a correction. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the settings from environment variables. @throws {ConfigError} */
export function readConfig(env: Environment): Config {
  assertNoUnknownVariables(env);
  const port = readInteger(env, 'CLOCHE_PORT', { fallback: 8787, min: 1, max: 65535 });
  const publicUrl = readPublicUrl(env) ?? `http://localhost:${port}`;
  const database = readDatabase(env);
  const grantKey = readKey(env, 'CLOCHE_GRANT_KEY');
  if (database.kind === 'postgres') assertGrantKey(grantKey);
  return {
    port,
    host: readText(env, 'CLOCHE_HOST') ?? '127.0.0.1',
    dataDirectory: resolve(readText(env, 'CLOCHE_DATA') ?? './data'),
    metrics: readMetricsSettings(env, port),
    database,
    role: readRole(env, database),
    publicUrl,
    formerOrigins: readFormerOrigins(env, publicUrl),
    maxUploadBytes:
      readInteger(env, 'CLOCHE_MAX_UPLOAD_MB', { fallback: 256, min: 1, max: 4096 }) * 1024 ** 2,
    maxTextureSize: readInteger(env, 'CLOCHE_MAX_TEXTURE', { fallback: 2048, min: 64, max: 8192 }),
    maxTriangles: readInteger(env, 'CLOCHE_MAX_TRIANGLES', {
      fallback: 1_000_000,
      min: TRIANGLE_BUDGET_RANGE.minimum,
      max: TRIANGLE_BUDGET_RANGE.maximum,
    }),
    bootstrapTokenFile: readText(env, 'CLOCHE_BOOTSTRAP_TOKEN_FILE'),
    grantKey,
    logLevel: readLogLevel(env),
    shutdownTimeoutMs:
      readInteger(env, 'CLOCHE_SHUTDOWN_TIMEOUT_SECONDS', { fallback: 10, min: 0, max: 600 }) *
      1000,
    sandboxLevel: readSandboxLevel(env),
    workers: readWorkers(env),
    browser: readBrowser(env),
    s3: readS3Settings(env),
    filesDirectory: readFilesDirectory(env),
    trustedProxies: readTrustedProxies(env),
    limits: readLimits(env),
    quotas: readQuotas(env),
  };
}

/** The variables of limits. */
const LIMIT_VARIABLES = {
  requestsPerMinute: 'CLOCHE_MAX_REQUESTS_PER_MINUTE',
  documentsPerMinute: 'CLOCHE_MAX_DOCUMENTS_PER_MINUTE',
  failedTokensPerMinute: 'CLOCHE_MAX_FAILED_TOKENS_PER_MINUTE',
  uploadsPerToken: 'CLOCHE_MAX_UPLOADS_PER_TOKEN',
  connections: 'CLOCHE_MAX_CONNECTIONS',
  connectionsPerAddress: 'CLOCHE_MAX_CONNECTIONS_PER_ADDRESS',
} as const satisfies Record<keyof ClientLimits, string>;

/** All environment variables of the service. */
export const VARIABLES = [
  'CLOCHE_PORT',
  'CLOCHE_HOST',
  'CLOCHE_DATA',
  'CLOCHE_DATABASE_URL',
  'CLOCHE_DATABASE_URL_FILE',
  'CLOCHE_ROLE',
  'CLOCHE_FILES',
  'CLOCHE_PUBLIC_URL',
  'CLOCHE_FORMER_URLS',
  'CLOCHE_MAX_UPLOAD_MB',
  'CLOCHE_MAX_TEXTURE',
  'CLOCHE_MAX_TRIANGLES',
  'CLOCHE_BOOTSTRAP_TOKEN_FILE',
  'CLOCHE_GRANT_KEY',
  'CLOCHE_GRANT_KEY_FILE',
  'CLOCHE_LOG_LEVEL',
  'CLOCHE_SHUTDOWN_TIMEOUT_SECONDS',
  'CLOCHE_METRICS_PORT',
  'CLOCHE_METRICS_HOST',
  'CLOCHE_SANDBOX',
  'CLOCHE_WORKERS',
  'CLOCHE_CHROMIUM',
  'CLOCHE_S3_URL',
  'CLOCHE_S3_REGION',
  'CLOCHE_S3_KEY',
  'CLOCHE_S3_KEY_FILE',
  'CLOCHE_S3_SECRET',
  'CLOCHE_S3_SECRET_FILE',
  'CLOCHE_TRUSTED_PROXIES',
  'CLOCHE_MAX_MB_PER_USER',
  'CLOCHE_MAX_DESIGNS_PER_USER',
  ...Object.values(LIMIT_VARIABLES),
];

function assertNoUnknownVariables(env: Environment): void {
  const unknown = Object.keys(env).find(
    (name) => /^CLOCHE_/.test(name) && !VARIABLES.includes(name),
  );
  if (unknown === undefined) return;
  throw new ConfigError(
    `${unknown} is not a setting of Cloche. The settings are ${VARIABLES.join(', ')}.`,
  );
}

/** Returns the value without surrounding spaces. An empty value is an error, not the default. */
function readText(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (text === '') throw new ConfigError(`${name} is empty. Give it a value, or leave it out.`);
  return text;
}

function readInteger(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const text = readText(env, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(`${name} is "${text}". It must be a whole number from ${min} to ${max}.`);
}

function readWorkers(env: Environment): Config['workers'] {
  const workers = readInteger(env, 'CLOCHE_WORKERS', { fallback: 0, min: 1, max: 64 });
  return workers === 0 ? 'auto' : workers;
}

function readLimits(env: Environment): ClientLimits {
  const limits = { ...DEFAULT_CLIENT_LIMITS };
  for (const name of Object.keys(limits) as (keyof ClientLimits)[]) {
    const range = { fallback: limits[name], min: 0, max: 999_999_999 };
    limits[name] = readInteger(env, LIMIT_VARIABLES[name], range);
  }
  return limits;
}

function readQuotas(env: Environment): QuotaLimits {
  const range = { fallback: 0, min: 0, max: MAX_QUOTA };
  return {
    bytes: toBytes(readInteger(env, 'CLOCHE_MAX_MB_PER_USER', range)),
    designs: readInteger(env, 'CLOCHE_MAX_DESIGNS_PER_USER', range),
  };
}

function readTrustedProxies(env: Environment): AddressRange[] {
  const text = readText(env, 'CLOCHE_TRUSTED_PROXIES');
  return (text?.split(',') ?? []).map((item) => {
    const range = parseAddressRange(item.trim());
    if (range !== undefined) return range;
    throw new ConfigError(
      `CLOCHE_TRUSTED_PROXIES contains "${item.trim()}". Each item must be an address or a range, such as "127.0.0.1, ::1, 10.0.0.0/8".`,
    );
  });
}

function readMetricsSettings(env: Environment, servicePort: number): Config['metrics'] {
  const host = readText(env, 'CLOCHE_METRICS_HOST');
  const port = readInteger(env, 'CLOCHE_METRICS_PORT', { fallback: 0, min: 1, max: 65535 });
  if (port === servicePort)
    throw new ConfigError(
      `CLOCHE_METRICS_PORT is ${port}, the port of the service itself. Set another port.`,
    );
  if (port !== 0) return { port, host: host ?? '127.0.0.1' };
  if (host === undefined) return undefined;
  throw new ConfigError(
    'CLOCHE_METRICS_HOST is set without CLOCHE_METRICS_PORT. Set both, or neither.',
  );
}

/** The messages never contain the URL: it contains a password. */
function readDatabase(env: Environment): DatabaseConfig {
  const url = readSecret(env, 'CLOCHE_DATABASE_URL');
  if (url === undefined) return { kind: 'sqlite' };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPostgresUrl = /^postgres(ql)?:$/.test(parsed?.protocol ?? '');
  if (isPostgresUrl && /^\/[^/]+$/.test(parsed?.pathname ?? '')) return { kind: 'postgres', url };
  throw new ConfigError(
    'CLOCHE_DATABASE_URL is not the URL of a PostgreSQL database. It must be like "postgres://user:password@host:5432/database". Leave it out to use SQLite in the data directory.',
  );
}

function readRole(env: Environment, { kind }: DatabaseConfig): NodeRole {
  const text = readText(env, 'CLOCHE_ROLE') ?? 'all';
  const role = NODE_ROLES.find((name) => name === text);
  if (role === undefined)
    throw new ConfigError(`CLOCHE_ROLE is "${text}". It must be ${NODE_ROLES.join(', ')}.`);
  if (role === 'all' || kind === 'postgres') return role;
  throw new ConfigError(
    `CLOCHE_ROLE is "${role}", and CLOCHE_DATABASE_URL is not set. Several nodes need a PostgreSQL database: set CLOCHE_DATABASE_URL, or leave CLOCHE_ROLE out.`,
  );
}

function readFilesDirectory(env: Environment): string | undefined {
  const text = readText(env, 'CLOCHE_FILES');
  if (text === undefined) return undefined;
  if (!('CLOCHE_S3_URL' in env)) return resolve(text);
  throw new ConfigError(
    'CLOCHE_FILES and CLOCHE_S3_URL are both set. Files are in a folder or in a bucket: set only one of them.',
  );
}

function assertGrantKey(key: Buffer | undefined): void {
  if (key !== undefined) return;
  throw new ConfigError(
    'CLOCHE_GRANT_KEY is missing, and CLOCHE_DATABASE_URL is set: every process that uses a database must have the same key. Create one with "openssl rand -hex 32", and set CLOCHE_GRANT_KEY or CLOCHE_GRANT_KEY_FILE.',
  );
}

function readSandboxLevel(env: Environment): Config['sandboxLevel'] {
  const text = readText(env, 'CLOCHE_SANDBOX') ?? 'auto';
  if (text === 'auto' || text === 'strict' || text === 'reduced') return text;
  throw new ConfigError(`CLOCHE_SANDBOX is "${text}". It must be auto, strict or reduced.`);
}

function readPublicUrl(env: Environment): string | undefined {
  const text = readText(env, 'CLOCHE_PUBLIC_URL');
  return text === undefined ? undefined : parseUrl(text, 'CLOCHE_PUBLIC_URL');
}

function readFormerOrigins(env: Environment, publicUrl: string): string[] {
  const text = readText(env, 'CLOCHE_FORMER_URLS');
  if (text === undefined) return [];
  const origins = text.split(',').map((item) => parseUrl(item.trim(), 'CLOCHE_FORMER_URLS'));
  const duplicate = origins.find(
    (origin, index) => [publicUrl, ...origins].indexOf(origin) <= index,
  );
  if (duplicate === undefined) return origins;
  throw new ConfigError(
    `CLOCHE_FORMER_URLS contains ${duplicate}, which is ${duplicate === publicUrl ? 'CLOCHE_PUBLIC_URL' : 'there twice'}. Remove it.`,
  );
}

/** Parses an origin. @throws {ConfigError} */
function parseUrl(input: string, name: string): string {
  const text = input.replace(/\/$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const normalized = text.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
  if (/^https?:\/\/[a-z0-9.:[\]-]+$/.test(normalized) && url?.origin === normalized)
    return normalized;
  throw new ConfigError(
    `${name} is "${text}". It must be a scheme, a host and an optional port, such as "https://cloche.example.com", with no path and no query.`,
  );
}

function readBrowser(env: Environment): BrowserOption {
  const path = readText(env, 'CLOCHE_CHROMIUM');
  if (path === undefined) return { kind: 'auto' };
  if (path === 'none') return { kind: 'none' };
  try {
    accessSync(path, constants.X_OK);
    return { kind: 'path', path: resolve(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_CHROMIUM is "${path}", which cannot be executed (${code}). Set the path of a Chromium, or "none" for no posters.`,
    );
  }
}

/** The region that S3 servers of one's own usually have. */
const DEFAULT_S3_REGION = 'us-east-1';

function readS3Settings(env: Environment): S3Settings | undefined {
  const text = readText(env, 'CLOCHE_S3_URL');
  if (text === undefined) {
    const name = VARIABLES.find((variable) => /^CLOCHE_S3_/.test(variable) && variable in env);
    if (name === undefined) return undefined;
    throw new ConfigError(`${name} is set without CLOCHE_S3_URL. Set both, or neither.`);
  }
  const location = parseS3Url(text);
  if (location === undefined) {
    throw new ConfigError(
      `CLOCHE_S3_URL is "${text}". It must be the address of a bucket, such as "https://s3.example.com/bucket" or "https://s3.example.com/bucket/folder", with no key and no query.`,
    );
  }
  return {
    ...location,
    region: readText(env, 'CLOCHE_S3_REGION') ?? DEFAULT_S3_REGION,
    accessKeyId: readRequiredSecret(env, 'CLOCHE_S3_KEY'),
    secretAccessKey: readRequiredSecret(env, 'CLOCHE_S3_SECRET'),
  };
}

function readRequiredSecret(env: Environment, name: string): string {
  const secret = readSecret(env, name);
  if (secret !== undefined && secret !== '') return secret;
  throw new ConfigError(`CLOCHE_S3_URL needs ${name} or ${name}_FILE: the key of the bucket.`);
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

function readLogLevel(env: Environment): string {
  const level = readText(env, 'CLOCHE_LOG_LEVEL') ?? 'info';
  if (LOG_LEVELS.includes(level)) return level;
  throw new ConfigError(
    `CLOCHE_LOG_LEVEL is "${level}". It must be one of ${LOG_LEVELS.join(', ')}.`,
  );
}

function readKey(env: Environment, name: string): Buffer | undefined {
  const text = readSecret(env, name);
  if (text === undefined) return undefined;
  const key = /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
  if (key.length >= 32) return key;
  throw new ConfigError(
    `${name} must be at least 32 random bytes in hexadecimal. Create them with "openssl rand -hex 32".`,
  );
}

/** Reads a secret from the variable `NAME`, or from the file in `NAME_FILE`. */
function readSecret(env: Environment, name: string): string | undefined {
  const text = readText(env, name);
  const file = readText(env, `${name}_FILE`);
  if (text !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`);
  }
  if (file === undefined) return text;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${name}_FILE is "${file}", which cannot be read (${code}).`);
  }
}
