import { PLACEHOLDER } from '@cloche/contract/embed';
import { Problem } from '@cloche/contract/problem';
import type { Design, Revision } from '../designs/design.ts';
import type { Designs } from '../designs/designs.ts';
import { malformed } from '../tokens/guard.ts';
import { checkAlive, checkDesign, kindFor, type Token } from '../tokens/token.ts';
import { kindOf } from '../tokens/token-string.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { judgeVisit, type Visit } from './gate.ts';

export type Shelves = { tokens: Tokens; designs: Designs };

/** A visit the gate lets in: the token that opened it, and what it shows. */
export type Admission = { token: Token; design: Design; revision: Revision };

/**
 * The gate behind its first step (the host): the token, then the visit, then the design.
 *
 * @throws {Problem} every reason not to show, each with its own code
 */
export async function admit(
  { tokenText, designId, visit }: { tokenText: string; designId: string; visit: Visit },
  shelves: Shelves,
  now: Date,
): Promise<Admission> {
  const token = await findEmbedToken(tokenText, shelves.tokens);
  checkEmbedToken(token, designId, now);
  const verdict = judgeVisit(visit, token.origins);
  if (!verdict.allowed) throw new Problem(verdict.code, { detail: verdict.detail });
  return { token, ...(await findShown(shelves.designs, token, designId)) };
}

/** @throws {Problem} embed.placeholder, token.missing, token.malformed, token.unknown, embed.secret-token */
async function findEmbedToken(text: string, tokens: Tokens): Promise<Token> {
  if (text === PLACEHOLDER) throw new Problem('embed.placeholder', { detail: PLACEHOLDER_LEFT });
  if (text === '') throw new Problem('token.missing', { field: 'query.token', detail: NO_TOKEN });
  const kind = kindOf(text);
  if (kind === undefined) throw malformed();
  if (kind === 'secret') throw secretToken();
  const token = await tokens.findBySecret(text);
  if (token === undefined) throw new Problem('token.unknown', { detail: UNKNOWN });
  return token;
}

/**
 * Checks what the token itself says: alive, for embedding alone, and for this design.
 * @throws {Problem} token.revoked, token.expired, embed.secret-token, token.design
 */
export function checkEmbedToken(token: Token, designId: string, now: Date): void {
  checkAlive(token, now);
  if (kindFor(token.capabilities) !== 'public') throw secretToken();
  checkDesign(token, designId);
}

/** @throws {Problem} design.unknown, also for designs of other people */
export async function findShown(designs: Designs, token: Token, designId: string) {
  const design = await designs.find(designId);
  if (design?.revision === undefined || design.user !== token.user) {
    throw new Problem('design.unknown', { detail: GONE });
  }
  return { design, revision: design.revision };
}

function secretToken(): Problem {
  return new Problem('embed.secret-token', {
    detail:
      'This token can do more than embed, so everyone who sees this page can use it. Revoke it now, and make one with capabilities ["embed"] and the origins of this site.',
  });
}

const PLACEHOLDER_LEFT = `${PLACEHOLDER} still stands in the HTML of this page. Put a token with capabilities ["embed"] in its place; POST /v1/tokens makes one.`;
const NO_TOKEN =
  'The address has no ?token=. Use the HTML of POST /embed/iframe/v1 with a token in it.';
const UNKNOWN = 'This service never issued this token. Make one with POST /v1/tokens.';
const GONE =
  'There is no such design here, or it was deleted. GET /v1/designs lists what there is.';
