import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TRIANGLE_BUDGET_RANGE } from '@cloche/contract/design-fields';
import { LOG_LEVELS, type LogLevel } from '@cloche/contract/log-level';
import { NODE_ROLES, type NodeRole } from '@cloche/contract/node';
import type { BrowserOption } from '@cloche/pipeline/poster/poster-renderer';
import type { SandboxLevel } from '@cloche/pipeline/sandbox/sandbox-report';
import type { S3Settings } from './blobs/s3-settings.ts';
import {
  hasBucket,
  readCacheBytes,
  readCdnSettings,
  readRegion,
  readS3Secret,
  readS3Settings,
} from './bucket-config.ts';
import {
  ConfigError,
  type Environment,
  parseUrl,
  readAddressRanges,
  readInteger,
  readKey,
  readSecret,
  readText,
} from './environment.ts';
import type { CdnSettings } from './http/cdn-settings.ts';
import type { AddressRange } from './http/client-address.ts';
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
  logLevel: LogLevel;
  shutdownTimeoutMs: number;
  /** How workers must be isolated. `auto`: as well as the system supports it. */
  sandboxLevel: SandboxLevel | 'auto';
  /** Maximum number of files that are processed at the same time. */
  workers: number | 'auto';
  /** The browser that renders posters. */
  browser: BrowserOption;
  /** The bucket that the files of designs are stored in. Undefined: the data directory. */
  s3: S3Settings | undefined;
  /** The most bytes of files from the bucket that are kept in the data directory. 0: none. */
  cacheBytes: number;
  /** The folder of the files of designs, which several nodes may share. Undefined: in the data directory, or in a bucket. */
  filesDirectory: string | undefined;
  /** The CDN that framed documents load artifacts from. Undefined: they load them from the service. */
  cdn: CdnSettings | undefined;
  /** Proxies whose `X-Forwarded-For` names the client. */
  trustedProxies: readonly AddressRange[];
  /** Private addresses of pages whose embeds may be checked nevertheless. */
  pageCheckAddresses: readonly AddressRange[];
  /** Secrets of the target of `cloche-server move`. */
  moveTarget: MoveTargetSecrets;
  limits: ClientLimits;
  /** The quotas of users without quotas of their own. */
  quotas: QuotaLimits;
};

/** What `cloche-server move` needs of its target and must not be in its arguments, which other users can see. */
export type MoveTargetSecrets = {
  databasePassword: string | undefined;
  s3Region: string;
  s3Key: string | undefined;
  s3Secret: string | undefined;
};

/** Where the rows are stored: in a file of the data directory, or in PostgreSQL. */
export type DatabaseConfig = { kind: 'sqlite' } | { kind: 'postgres'; url: string };

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
    cacheBytes: readCacheBytes(env),
    filesDirectory: readFilesDirectory(env),
    cdn: readCdnSettings(env),
    trustedProxies: readAddressRanges(env, 'CLOCHE_TRUSTED_PROXIES'),
    pageCheckAddresses: readAddressRanges(env, 'CLOCHE_PAGE_CHECK_ADDRESSES'),
    moveTarget: readMoveTarget(env),
    limits: readLimits(env),
    quotas: readQuotas(env),
  };
}

function readMoveTarget(env: Environment): MoveTargetSecrets {
  return {
    databasePassword: readSecret(env, 'CLOCHE_TO_DATABASE_PASSWORD'),
    s3Region: readRegion(env, 'CLOCHE_TO_S3_REGION'),
    s3Key: readS3Secret(env, 'CLOCHE_TO_S3_KEY'),
    s3Secret: readS3Secret(env, 'CLOCHE_TO_S3_SECRET'),
  };
}

/** The variables of limits. */
const LIMIT_VARIABLES = {
  requestsPerMinute: 'CLOCHE_MAX_REQUESTS_PER_MINUTE',
  documentsPerMinute: 'CLOCHE_MAX_DOCUMENTS_PER_MINUTE',
  failedTokensPerMinute: 'CLOCHE_MAX_FAILED_TOKENS_PER_MINUTE',
  pageChecksPerMinute: 'CLOCHE_MAX_PAGE_CHECKS_PER_MINUTE',
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
  'CLOCHE_S3_URL_FILE',
  'CLOCHE_S3_REGION',
  'CLOCHE_S3_REGION_FILE',
  'CLOCHE_S3_KEY',
  'CLOCHE_S3_KEY_FILE',
  'CLOCHE_S3_SECRET',
  'CLOCHE_S3_SECRET_FILE',
  'CLOCHE_CACHE_MB',
  'CLOCHE_CDN_URL',
  'CLOCHE_TICKET_MINUTES',
  'CLOCHE_TO_DATABASE_PASSWORD',
  'CLOCHE_TO_DATABASE_PASSWORD_FILE',
  'CLOCHE_TO_S3_REGION',
  'CLOCHE_TO_S3_REGION_FILE',
  'CLOCHE_TO_S3_KEY',
  'CLOCHE_TO_S3_KEY_FILE',
  'CLOCHE_TO_S3_SECRET',
  'CLOCHE_TO_S3_SECRET_FILE',
  'CLOCHE_TRUSTED_PROXIES',
  'CLOCHE_PAGE_CHECK_ADDRESSES',
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
  const parsed = URL.canParse(url) && isDecodable(url) ? new URL(url) : undefined;
  const isPostgresUrl = /^postgres(ql)?:$/.test(parsed?.protocol ?? '');
  if (isPostgresUrl && /^\/[^/]+$/.test(parsed?.pathname ?? '')) return { kind: 'postgres', url };
  throw new ConfigError(
    'CLOCHE_DATABASE_URL is not the URL of a PostgreSQL database. It must be like "postgres://user:password@host:5432/database"; write "%25" for "%". Leave it out to use SQLite in the data directory.',
  );
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
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
  if (!hasBucket(env)) return resolve(text);
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

function readBrowser(env: Environment): BrowserOption {
  const path = readText(env, 'CLOCHE_CHROMIUM');
  if (path === undefined) return { kind: 'auto' };
  if (path === 'none') return { kind: 'none' };
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return { kind: 'path', path: resolve(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_CHROMIUM is "${path}", which cannot be executed (${code}). Set the path of a Chromium, or "none" for no posters.`,
    );
  }
}

function readLogLevel(env: Environment): LogLevel {
  const text = readText(env, 'CLOCHE_LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((name) => name === text);
  if (level !== undefined) return level;
  throw new ConfigError(
    `CLOCHE_LOG_LEVEL is "${text}". It must be one of ${LOG_LEVELS.join(', ')}.`,
  );
}
