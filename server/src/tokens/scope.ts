import { Problem } from '@cloche/contract/problem';
import { ProblemCollector } from '../http/problem-collector.ts';
import { findUncoveredOrigin } from './origins.ts';
import type { TokenScope } from './token.ts';

/** Returns why the child exceeds one part of the parent's scope, or undefined if it does not. */
type ScopeCheck = (child: TokenScope, parent: TokenScope) => string | undefined;

const checks: Record<keyof TokenScope, ScopeCheck> = {
  capabilities: checkCapabilities,
  origins: checkOrigins,
  designs: checkDesigns,
  expiresAt: checkExpiry,
};
const PARENT = 'the token in the Authorization header';
const FIELDS = Object.keys(checks) as (keyof TokenScope)[];

/**
 * Asserts that a token is within the scope of its parent: the token in the Authorization header of the
 * request that creates, changes or rotates it. A parent without origins, designs or expiry does not
 * limit them.
 *
 * @throws {Problem} token.scope-exceeded, with the fields that exceed the scope
 */
export function assertWithinScope(child: TokenScope, parent: TokenScope): void {
  const problems = new ProblemCollector();
  for (const field of FIELDS) {
    const reason = checks[field](child, parent);
    if (reason === undefined) continue;
    problems.add(new Problem('token.scope-exceeded', { field, detail: `${field}: ${reason}.` }));
  }
  problems.throwIfAny();
}

/** Says whether all origins and designs of a token are within the limits of another. */
export function isWithinLimits(child: TokenScope, parent: TokenScope): boolean {
  return checks.origins(child, parent) === undefined && checks.designs(child, parent) === undefined;
}

function checkCapabilities(child: TokenScope, parent: TokenScope): string | undefined {
  const excess = child.capabilities.find((capability) => !parent.capabilities.includes(capability));
  return excess && `"${excess}" is not a capability of ${PARENT}`;
}

function checkOrigins(child: TokenScope, parent: TokenScope): string | undefined {
  if (parent.origins.length === 0) return undefined;
  if (child.origins.length === 0) {
    return `${PARENT} has a list of origins, and a token without one exceeds its scope`;
  }
  const uncovered = findUncoveredOrigin(child.origins, parent.origins);
  return uncovered && `${uncovered} is not in the list of ${PARENT}`;
}

function checkDesigns(child: TokenScope, parent: TokenScope): string | undefined {
  const allowed = parent.designs;
  if (allowed === undefined) return undefined;
  if (child.designs === undefined) {
    return `${PARENT} has a list of designs, and a token without one exceeds its scope`;
  }
  const excess = child.designs.find((design) => !allowed.includes(design));
  return excess && `${excess} is not in the list of ${PARENT}`;
}

function checkExpiry(child: TokenScope, parent: TokenScope): string | undefined {
  if (parent.expiresAt === undefined) return undefined;
  if (child.expiresAt !== undefined && child.expiresAt <= parent.expiresAt) return undefined;
  const end = parent.expiresAt.toISOString();
  return `${PARENT} expires at ${end}; choose that time or an earlier time`;
}
