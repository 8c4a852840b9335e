import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';
import { assertIfMatch, type IfMatch } from '../http/if-match.ts';
import { assertMayRotateToken } from './authorize.ts';
import { assertNotRevoked, createToken, type TokenRecord } from './token.ts';
import { assertReadable, type TokenStore } from './token-store.ts';

/** How long a replaced token remains valid, by default. */
export const DEFAULT_GRACE_PERIOD_SECONDS = 24 * 60 * 60;

export type RotationOptions = {
  caller: TokenRecord;
  /** The token to replace. */
  id: string;
  /** The versions that may be replaced. */
  ifMatch: IfMatch | undefined;
  gracePeriodSeconds: number;
  now: Date;
};

/**
 * Replaces a token: adds a successor with the same scope, and lets the token expire at the end of the
 * grace period. Call `tokens.invalidate` after the commit.
 *
 * The parent of the successor is the caller, who gets its token string. So revoking the caller with its
 * descendants also revokes it.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded, token.not-rotatable, request.precondition-failed
 */
export async function rotateToken(
  { caller, id, ifMatch, gracePeriodSeconds, now }: RotationOptions,
  tokens: TokenStore,
  trx: Transaction,
): Promise<{ token: TokenRecord; tokenString: string }> {
  const old = await tokens.findForUpdate(id, trx);
  assertMayRotateToken(caller, old);
  assertReadable(old);
  assertNotRevoked(old);
  assertIfMatch(ifMatch, old.version);
  assertRotatable(old, now);
  const { user, name, capabilities, origins, designs, expiresAt } = old;
  const scope = { capabilities, origins, designs, expiresAt };
  const successor = createToken({ ...scope, user, name, issuedBy: caller.id, replaces: id }, now);
  await tokens.add(successor.token, trx);
  const graceEnd = new Date(now.getTime() + gracePeriodSeconds * 1000);
  await tokens.update(
    {
      ...old,
      replacedBy: successor.token.id,
      replacedAt: now,
      expiresAt: expiresAt !== undefined && expiresAt < graceEnd ? expiresAt : graceEnd,
    },
    trx,
  );
  return successor;
}

function assertRotatable({ id, expiresAt, replacedBy }: TokenRecord, now: Date): void {
  if (replacedBy !== undefined) {
    throw new Problem('token.not-rotatable', {
      field: 'path.id',
      reason: 'rotated',
      detail: `This token was already replaced by ${replacedBy}. Rotate that token, or create a new one with POST /v1/tokens.`,
    });
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new Problem('token.not-rotatable', {
      field: 'path.id',
      reason: 'expired',
      detail: `This token expired at ${expiresAt.toISOString()}, and so would its successor. Set a later expiresAt with PATCH /v1/tokens/${id} first.`,
    });
  }
}
