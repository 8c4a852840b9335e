import type { Token, UpdateTokenRequest } from '@cloche/contract/token';

type TokenScope = Pick<Token, 'name' | 'origins' | 'designs' | 'expiresAt'>;

/** Lists the fields that differ, as a request has them. Others are not sent: the fields of forms are less exact than what is stored. */
export function listTokenChanges(before: TokenScope, after: TokenScope): UpdateTokenRequest {
  const { name, origins, designs, expiresAt } = after;
  return {
    ...(name !== before.name && { name: name || null }),
    ...(!isEqual(origins, before.origins) && { origins }),
    ...(!isEqual(designs, before.designs) && { designs }),
    ...(expiresAt !== before.expiresAt && { expiresAt }),
  };
}

function isEqual(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
