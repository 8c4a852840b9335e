import { Problem } from '@cloche/contract/problem';
import type { Design, Revision } from '../designs/design.ts';
import type { Designs } from '../designs/designs.ts';
import type { Token } from '../tokens/token.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { checkEmbedToken, checkTokenText, judgeVisit, type Visit } from './gate.ts';

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
  checkTokenText(tokenText);
  const token: Token | undefined = await shelves.tokens.findBySecret(tokenText);
  checkEmbedToken(token, designId, now);
  const verdict = judgeVisit(visit, token.origins);
  if (!verdict.allowed) throw new Problem(verdict.code, { detail: verdict.detail });
  return { token, ...(await findShown(shelves.designs, token, designId)) };
}

/**
 * @throws {Problem} design.unknown, also for designs of other people; design.not-ready and
 *   design.failed when there is no revision to show
 */
export async function findShown(designs: Designs, token: Token, designId: string) {
  const design = await designs.find(designId);
  if (design === undefined || design.user !== token.user) {
    throw new Problem('design.unknown', { detail: GONE });
  }
  if (design.revision === undefined) throw notReady(design);
  return { design, revision: design.revision };
}

function notReady({ status }: Design): Problem {
  if (status === 'failed') return new Problem('design.failed', { detail: FAILED });
  return new Problem('design.not-ready', { detail: BEING_PREPARED, retryAfterS: 3 });
}

const FAILED =
  'The file of this design could not be processed, so there is nothing to show. Its owner finds the reason at GET /v1/designs/{id}.';
const BEING_PREPARED =
  'Its file was sent a moment ago and is being made ready. This takes some seconds.';
const GONE =
  'There is no such design here, or it was deleted. GET /v1/designs lists what there is.';
