import { Token, type UpdateTokenRequest } from '@cloche/contract/token';
import type { Database } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { assertResponse } from '../http/assert-response.ts';
import { assertMayManageToken } from './authorize.ts';
import { toToken } from './serialize.ts';
import { assertNotRevoked, type TokenRecord } from './token.ts';
import { applyTokenUpdate } from './token-request.ts';
import { assertReadable, type TokenStore } from './token-store.ts';

export type TokenDependencies = { tokens: TokenStore; database: Database; now: () => Date };

/**
 * Changes a token, and returns it as it is then. It is read and written in one transaction, so that no
 * concurrent change is lost.
 *
 * @throws {Problem} token.not-found, token.scope-exceeded, request.invalid, origin.invalid
 */
export async function updateToken(
  caller: TokenRecord,
  id: string,
  request: UpdateTokenRequest,
  { tokens, database, now }: TokenDependencies,
): Promise<Token> {
  const updated = await runTransaction(database, async (trx) => {
    const token = await tokens.findForUpdate(id, trx);
    assertMayManageToken(caller, token);
    assertReadable(token);
    assertNotRevoked(token);
    const updated = applyTokenUpdate(request, token, caller, now());
    assertResponse(Token, toToken({ ...updated, usedFrom: [] }));
    await tokens.update(updated, trx);
    return updated;
  });
  tokens.invalidate([id]);
  return toToken(await tokens.usage.addUsageTo(updated));
}
