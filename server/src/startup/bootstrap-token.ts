import type { Database } from '../database/database.ts';
import { createToken } from '../tokens/token.ts';
import { toTokenRow } from '../tokens/token-store.ts';
import { randomBase62 } from '../tokens/token-string.ts';

/**
 * Makes the first user and a token with every capability, if there is no user yet.
 *
 * `show` gets the token string before the rows are committed: a crash in between leaves a string
 * that opens nothing, and the next start makes another. Where the string is in a file, that start says
 * so and leaves the file to its operator. The other order could lose the token for ever.
 */
export async function createInitialUser(
  database: Database,
  now: Date,
  show: (token: string) => Promise<void>,
): Promise<void> {
  await database.transaction().execute(async (step) => {
    if (await step.selectFrom('user').select('id').limit(1).executeTakeFirst()) return;
    const user = { id: `usr_${randomBase62(16)}`, created_at: now.toISOString() };
    const { token, secret } = createToken(
      {
        user: user.id,
        name: 'first token',
        capabilities: ['read', 'write', 'embed'],
        origins: [],
        designs: undefined,
        expiresAt: undefined,
      },
      now,
    );
    await step.insertInto('user').values(user).execute();
    await step.insertInto('token').values(toTokenRow(token)).execute();
    await show(secret);
  });
}
