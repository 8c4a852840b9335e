import type { CheckResult, CheckWish } from '@cloche/contract/embed';
import { originListed, refererOrigin } from '@cloche/contract/origin';
import { Problem } from '@cloche/contract/problem';
import type { Token } from '../tokens/token.ts';
import { kindOf } from '../tokens/token-string.ts';
import { findShown, type Shelves } from './admit.ts';
import { warnings as adviceOn, nearMiss } from './advice.ts';
import { checkEmbedToken, judgeVisit } from './gate.ts';

/** Says whether an embed would show, by the gate's own code. Outer ancestors are the browser's part. */
export async function check(
  wish: CheckWish,
  caller: Token,
  shelves: Shelves,
  now: Date,
): Promise<CheckResult> {
  const token = await findToken(wish, caller, shelves);
  const warnings = adviceOn(token.origins).map(({ detail }) => detail);
  try {
    checkEmbedToken(token, wish.design, now);
    // The address of a page stands for its origin.
    const ancestors = wish.ancestors.map((one) => refererOrigin(one) ?? one);
    const [nearest = ''] = ancestors;
    const verdict = judgeVisit({ secFetchDest: 'iframe', referer: `${nearest}/` }, token.origins);
    if (!verdict.allowed) throw new Problem(verdict.code, { detail: verdict.detail });
    checkAncestors(ancestors, token.origins);
    await findShown(shelves.designs, token, wish.design);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { shows: false, code: error.code, detail: error.message, warnings };
  }
  return { shows: true, code: null, detail: 'The design shows on that page.', warnings };
}

/** What browsers do with `frame-ancestors`: every page around the embed must be listed. */
function checkAncestors(ancestors: readonly string[], origins: readonly string[]): void {
  const stranger = ancestors.find((one) => !originListed(origins, one));
  if (stranger === undefined) return;
  const hint = nearMiss(origins, stranger);
  throw new Problem('embed.origin', {
    detail: `${stranger} is around the page that shows the design, and it is not on the token’s list.${hint ? ` ${hint}` : ''}`,
  });
}

async function findToken(
  { token, id }: CheckWish,
  caller: Token,
  { tokens }: Shelves,
): Promise<Token> {
  if ((token === undefined) === (id === undefined)) {
    throw new Problem('request.invalid', {
      field: 'token',
      detail:
        'token: say which token is meant, by its string in "token" or by its id in "id"; one of the two.',
    });
  }
  const found =
    id !== undefined
      ? await tokens.find(caller.user, id)
      : kindOf(token ?? '') && (await tokens.findBySecret(token ?? ''));
  if (found === undefined || found.user !== caller.user) {
    throw new Problem('token.not-found', { field: id === undefined ? 'token' : 'id' });
  }
  return found;
}
