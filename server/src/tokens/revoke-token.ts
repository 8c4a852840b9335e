import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { assertIfMatch, type IfMatch } from '../http/if-match.ts';
import { assertMayManageToken, assertMayRevokeDescendants } from './authorize.ts';
import {
  canIssueTokens,
  isRevoked,
  isUnreadable,
  type StoredToken,
  type TokenRecord,
} from './token.ts';
import type { TokenStore } from './token-store.ts';
import type { TokenDependencies } from './update-token.ts';

export type RevocationOptions = {
  /** Also revoke the descendants. */
  descendants: boolean;
  /** Revoke the last token that can create others. */
  force: boolean;
  /** The versions that may be revoked. */
  ifMatch: IfMatch | undefined;
};

/**
 * Revokes a token, and its descendants if requested: all of them or none.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded, token.last-issuer, request.precondition-failed
 */
export async function revokeToken(
  caller: TokenRecord,
  id: string,
  { descendants, force, ifMatch }: RevocationOptions,
  { tokens, database, now }: TokenDependencies,
): Promise<void> {
  const time = now();
  const ids = await runTransaction(database, async (trx) => {
    const target = await tokens.findForUpdate(id, trx);
    assertMayManageToken(caller, target);
    // Revoking again has no effect: a retry does not know the version that the first request made.
    if (!isRevoked(target)) assertIfMatch(ifMatch, target.version);
    const revoked: StoredToken[] = [target];
    await tokens.lockUsers([target.user], trx);
    await tokens.revoke([id], time, trx);
    if (descendants) revoked.push(...(await revokeDescendants(caller, id, { tokens, trx, time })));
    if (!force) await assertIssuersRemain(revoked, { tokens, trx, time });
    return revoked.map((token) => token.id);
  });
  tokens.invalidate(ids);
}

/**
 * Revokes the descendants of a token, and returns them. Their descendants are searched again until there is
 * no new one: one that was being added at that moment is found after the commit of its transaction, for which
 * revoking its parent waits.
 *
 * @throws {Problem} token.scope-exceeded
 */
async function revokeDescendants(
  caller: TokenRecord,
  id: string,
  { tokens, trx, time }: RevocationContext,
): Promise<StoredToken[]> {
  const revoked = new Map<string, StoredToken>();
  for (;;) {
    const found = await tokens.findDescendants(id, trx);
    const added = found.filter((token) => !revoked.has(token.id));
    if (added.length === 0) return [...revoked.values()];
    assertMayRevokeDescendants(caller, added);
    for (const token of added) revoked.set(token.id, token);
    await tokens.lockUsers([...new Set(added.map((token) => token.user))], trx);
    await tokens.revoke(
      added.map((token) => token.id),
      time,
      trx,
    );
  }
}

type RevocationContext = { tokens: TokenStore; trx: Transaction; time: Date };

/**
 * Asserts that each user still has a token that can create others, if the user had one before.
 *
 * @throws {Problem} token.last-issuer
 */
async function assertIssuersRemain(
  revoked: readonly StoredToken[],
  { tokens, trx, time }: RevocationContext,
): Promise<void> {
  const issuers = revoked.filter((token) => !isUnreadable(token) && canIssueTokens(token, time));
  for (const user of new Set(issuers.map((token) => token.user))) {
    if (await tokens.hasIssuer(user, time, trx)) continue;
    throw new Problem('token.last-issuer', {
      detail:
        'Without this token, no token of its user could create others. Nothing was revoked. Create another token with "write" and without origins and designs first, or add ?force=true.',
    });
  }
}
