import type { UserRecord } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { UsageError } from './usage-error.ts';

/** Returns the user with a name or id; without one, the first operator. @throws {UsageError} */
export async function findActiveUser(
  users: UserStore,
  name: string | undefined,
): Promise<UserRecord> {
  const list = await users.list();
  const user = list.find((candidate) =>
    name === undefined ? candidate.operator : [candidate.id, candidate.name].includes(name),
  );
  if (user === undefined) {
    throw new UsageError(
      `There is no ${name === undefined ? 'operator' : `user "${name}"`}. "cloche-server users list" lists the users.`,
    );
  }
  if (user.disabledAt === undefined) return user;
  throw new UsageError(
    `The user ${user.name} is disabled. "cloche-server users enable ${user.name}" enables it.`,
  );
}
