import { UUID_PATTERN } from '@cloche/contract/id';
import Type from 'typebox';
import { assertMayAccessDesign } from '../tokens/authorize.ts';
import type { TokenRecord } from '../tokens/token.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';

/** Path parameters of the routes of one design. */
export const DesignIdParams = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN, description: 'The id of the design: a UUID.' }),
});

/**
 * Finds a design of the token's user, by its id in upper or lower case.
 *
 * @throws {Problem} design.unknown, also for a design of another user
 * @throws {Problem} token.design
 */
export async function getAccessibleDesign(
  designs: DesignStore,
  token: TokenRecord,
  id: string,
): Promise<DesignRecord> {
  const lowerCaseId = id.toLowerCase();
  const design = await designs.find(lowerCaseId);
  assertMayAccessDesign(token, design, lowerCaseId);
  return design;
}
