import { Problem } from '@cloche/contract/problem';
import { findUncoveredOrigin } from './origins.ts';
import type { TokenScope } from './token.ts';

/**
 * A token makes no token that reaches further than itself: capabilities, origins (if it has any),
 * designs, expiry.
 *
 * @throws {Problem} token.reach, with the field at fault
 */
export function assertWithinScope(child: TokenScope, parent: TokenScope): void {
  const capability = child.capabilities.find((one) => !parent.capabilities.includes(one));
  if (capability !== undefined) {
    throw scopeError('capabilities', `"${capability}" is not a capability of the token used`);
  }
  if (parent.origins.length > 0) {
    if (child.origins.length === 0) {
      throw scopeError('origins', 'the token used is bound to origins, so its children are too');
    }
    const origin = findUncoveredOrigin(child.origins, parent.origins);
    if (origin !== undefined)
      throw scopeError('origins', `${origin} is not on the list of the token used`);
  }
  assertDesignsWithinScope(child, parent);
  assertExpiryWithinScope(child, parent);
}

function assertDesignsWithinScope(child: TokenScope, parent: TokenScope): void {
  const reachable = parent.designs;
  if (reachable === undefined) return;
  if (child.designs === undefined) {
    throw scopeError('designs', 'the token used reaches only some designs; list which of them');
  }
  const design = child.designs.find((one) => !reachable.includes(one));
  if (design !== undefined) throw scopeError('designs', `the token used does not reach ${design}`);
}

function assertExpiryWithinScope(child: TokenScope, parent: TokenScope): void {
  if (parent.expiresAt === undefined) return;
  if (child.expiresAt === undefined || child.expiresAt > parent.expiresAt) {
    const end = parent.expiresAt.toISOString();
    throw scopeError(
      'expiresAt',
      `the token used ends at ${end}; choose that time or an earlier one`,
    );
  }
}

function scopeError(field: string, why: string): Problem {
  return new Problem('token.reach', { field, detail: `${field}: ${why}.` });
}
