import { toOriginParts } from '@cloche/contract/origin-parts';
import { Capability } from '@cloche/contract/token';
import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { TokenRow } from '../database/database.ts';
import { LATEST_TIME, parseDateTime } from '../http/date-time.ts';
import type { StoredToken, TokenRecord } from './token.ts';

const Capabilities = Type.Array(Capability, { minItems: 1 });
const Texts = Type.Array(Type.String());

/** A row with the columns of its user. They are absent where they are not needed. */
export type TokenRowWithUser = TokenRow & {
  user_operator?: number | null;
  user_disabled_at?: string | null;
};

/** Converts a row to a token. A row that no token can have becomes an unreadable token. */
export function toStoredToken(row: TokenRowWithUser): StoredToken {
  const { id, user_id: user, name, version } = row;
  try {
    return toTokenRecord(row);
  } catch (error) {
    if (!(error instanceof DamagedColumnError)) throw error;
    return { id, user, name, version, damage: error.message };
  }
}

export function toTokenRow(token: TokenRecord): TokenRow {
  return {
    id: token.id,
    user_id: token.user,
    name: token.name,
    hash: token.hash,
    capabilities: JSON.stringify(token.capabilities),
    origins: JSON.stringify(token.origins),
    designs: token.designs === undefined ? null : JSON.stringify(token.designs),
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    seen_in_browser_at: token.seenInBrowserAt?.toISOString() ?? null,
    issued_by: token.issuedBy ?? null,
    replaces: token.replaces ?? null,
    replaced_by: token.replacedBy ?? null,
    replaced_at: token.replacedAt?.toISOString() ?? null,
    scope_version: token.scopeVersion,
    version: token.version,
  };
}

function toTokenRecord(row: TokenRowWithUser): TokenRecord {
  return {
    id: row.id,
    user: row.user_id,
    name: row.name,
    hash: row.hash,
    capabilities: parseList(row, 'capabilities', Capabilities),
    origins: parseOriginList(row),
    designs: row.designs === null ? undefined : parseList(row, 'designs', Texts),
    createdAt: parseTime(row.created_at, 'created_at'),
    expiresAt: parseOptionalTime(row, 'expires_at'),
    revokedAt: parseOptionalTime(row, 'revoked_at'),
    lastUsedAt: parseOptionalTime(row, 'last_used_at'),
    seenInBrowserAt: parseOptionalTime(row, 'seen_in_browser_at'),
    issuedBy: row.issued_by ?? undefined,
    replaces: row.replaces ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
    replacedAt: parseOptionalTime(row, 'replaced_at'),
    scopeVersion: row.scope_version,
    operator: row.user_operator === 1,
    userDisabledAt: toUserDisabledAt(row),
    version: row.version,
  };
}

function toUserDisabledAt({ user_disabled_at }: TokenRowWithUser): Date | undefined {
  return typeof user_disabled_at === 'string' ? new Date(user_disabled_at) : undefined;
}

type TimeColumn = Extract<keyof TokenRow, `${string}_at`>;

function parseOptionalTime(row: TokenRow, column: TimeColumn): Date | undefined {
  const text = row[column];
  return text === null ? undefined : parseTime(text, column);
}

function parseTime(text: string, column: TimeColumn): Date {
  const time = parseDateTime(text);
  if (time === undefined || time > LATEST_TIME) throw new DamagedColumnError(column);
  return time;
}

function parseOriginList(row: TokenRow): string[] {
  const origins = parseList(row, 'origins', Texts);
  try {
    for (const origin of origins) toOriginParts(origin);
  } catch (cause) {
    throw new DamagedColumnError('origins', { cause });
  }
  return origins;
}

function parseList<Schema extends TSchema>(
  row: TokenRow,
  column: 'capabilities' | 'origins' | 'designs',
  schema: Schema,
): Static<Schema> {
  const list = parseJson(row[column] ?? '');
  if (!Check(schema, list)) throw new DamagedColumnError(column);
  return list;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: no list.
    return undefined;
  }
}

class DamagedColumnError extends Error {
  constructor(column: keyof TokenRow, options?: ErrorOptions) {
    super(`its ${column} is not valid`, options);
  }
}
