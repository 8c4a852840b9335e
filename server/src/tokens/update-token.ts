import { Token, type UpdateTokenRequest } from '@cloche/contract/token';
import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { assertResponse } from '../http/assert-response.ts';
import { assertIfMatch, type IfMatch } from '../http/if-match.ts';
import { assertMayManageToken } from './authorize.ts';
import { toToken } from './serialize.ts';
import { assertNotRevoked, type TokenRecord } from './token.ts';
import { applyTokenUpdate } from './token-request.ts';
import { assertReadable, type TokenStore } from './token-store.ts';
import type { TokenWithUsage } from './token-usage-store.ts';

export type TokenDependencies = { tokens: TokenStore; database: Database; now: () => Date };

export type TokenUpdateOptions = {
  caller: TokenRecord;
  id: string;
  /** The versions that may be changed. */
  ifMatch: IfMatch | undefined;
};

/**
 * Changes a token, and returns it as it is then. It is read and written in one transaction, so that no
 * concurrent change is lost.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded, request.invalid, origin.invalid,
 *   request.precondition-failed
 */
export async function updateToken(
  { caller, id, ifMatch }: TokenUpdateOptions,
  request: UpdateTokenRequest,
  { tokens, database, now }: TokenDependencies,
): Promise<TokenWithUsage> {
  const updated = await runTransaction(database, async (trx) => {
    const token = await tokens.findForUpdate(id, trx);
    assertMayManageToken(caller, token);
    assertReadable(token);
    assertNotRevoked(token);
    assertIfMatch(ifMatch, token.version);
    const updated = applyTokenUpdate(request, token, caller, now());
    assertResponse(Token, toToken({ ...updated, usedFrom: [] }));
    return tokens.update(updated, trx);
  });
  tokens.invalidate([id]);
  return tokens.usage.addUsageTo(updated);
}
