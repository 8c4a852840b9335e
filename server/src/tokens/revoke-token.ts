import { Problem } from '@cloche/contract/problem';
import type { Transaction } from '../database/database.ts';
import { assertMayManageToken, assertMayRevokeDescendants } from './authorize.ts';
import { canIssueTokens, isUnreadable, type StoredToken, type TokenRecord } from './token.ts';
import type { TokenStore } from './token-store.ts';
import type { TokenDependencies } from './update-token.ts';

/** Also revoke the descendants; revoke the last token that can create others. */
export type RevocationOptions = { descendants: boolean; force: boolean };

/**
 * Revokes a token, and its descendants if requested: all of them or none.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded, token.last-issuer
 */
export async function revokeToken(
  caller: TokenRecord,
  id: string,
  { descendants, force }: RevocationOptions,
  { tokens, database, now }: TokenDependencies,
): Promise<void> {
  const time = now();
  const ids = await database.transaction().execute(async (trx) => {
    const target = await tokens.find(id, trx);
    assertMayManageToken(caller, target);
    const others = descendants ? await tokens.findDescendants(id, trx) : [];
    assertMayRevokeDescendants(caller, others);
    const revoked = [target, ...others];
    const ids = revoked.map((token) => token.id);
    await tokens.revoke(ids, time, trx);
    if (!force) await assertIssuersRemain(revoked, { tokens, trx, time });
    return ids;
  });
  tokens.invalidate(ids);
}

/**
 * Asserts that each user still has a token that can create others, if the user had one before.
 *
 * @throws {Problem} token.last-issuer
 */
async function assertIssuersRemain(
  revoked: readonly StoredToken[],
  { tokens, trx, time }: { tokens: TokenStore; trx: Transaction; time: Date },
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
