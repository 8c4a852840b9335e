import { randomBytes } from 'node:crypto';
import { Problem } from '@cloche/contract/problem';

/** An owner of designs and tokens. */
export type UserRecord = {
  id: string;
  /** Unique. Never the form of an id. */
  name: string;
  /** Tokens of an operator may create tokens for other users. */
  operator: boolean;
  createdAt: Date;
  /** Since then, no token of the user is valid. */
  disabledAt: Date | undefined;
} & UserQuotas;

/** Quotas of a user. 0: no limit. Undefined: those of the service. */
export type UserQuotas = { maxMegabytes: number | undefined; maxDesigns: number | undefined };

const NAME_PATTERN = /^[a-z0-9][a-z0-9.-]{0,62}$/;

/**
 * Creates a user. A name has no underscore, so it is never mistaken for an id.
 *
 * @throws {Problem} request.invalid
 */
export function createUser(
  name: string,
  { operator }: { operator: boolean },
  now: Date,
): UserRecord {
  if (!NAME_PATTERN.test(name)) {
    throw new Problem('request.invalid', {
      field: 'name',
      detail: `name: "${name}" is not a name of a user. Use 1 to 63 lower-case letters, digits, "-" and ".", such as "anna".`,
    });
  }
  const id = `usr_${randomBytes(8).toString('hex')}`;
  const quotas = { maxMegabytes: undefined, maxDesigns: undefined };
  return { id, name, operator, createdAt: now, disabledAt: undefined, ...quotas };
}
