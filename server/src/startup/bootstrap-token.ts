import { link, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { lockUntilCommit } from '../database/locks.ts';
import { syncDirectory } from '../disk/durable-files.ts';
import { ConfigError } from '../environment.ts';
import { SessionStore } from '../tokens/session-store.ts';
import { toSignInUrl } from '../tokens/sign-in-link.ts';
import { createToken } from '../tokens/token.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { createUser } from '../users/user.ts';
import { UserStore } from '../users/user-store.ts';

/**
 * Creates the first user, who is the operator, and a token with every capability, if there is no user yet. Returns the id of
 * the token.
 *
 * `deliver` gets the token string before the rows are committed. After a crash in between, the
 * delivered token string is not valid, and the next start creates another token. In the other order,
 * a crash could lose the only token. If the token string was written to a file, the next start fails
 * because the file exists, and the operator must delete it.
 */
export async function createInitialUser(
  database: Database,
  now: Date,
  deliver: (tokenString: string) => Promise<void>,
): Promise<string | undefined> {
  const tokens = new TokenStore(database);
  const users = new UserStore(database);
  return database.transaction().execute(async (trx) => {
    await lockUntilCommit(trx, 'first start');
    if (await users.hasAny(trx)) return undefined;
    const user = createUser('operator', { operator: true }, now);
    const { token, tokenString } = createToken(
      {
        user: user.id,
        name: 'bootstrap token',
        capabilities: ['read', 'write', 'embed'],
        origins: [],
        designs: undefined,
        expiresAt: undefined,
      },
      now,
    );
    await users.add(user, trx);
    await tokens.add(token, trx);
    await deliver(tokenString);
    return token.id;
  });
}

/** Prints a one-time link for the first token. Not if the token is written to a file: then it is to be in no log. */
export async function printSignInLink(
  database: Database,
  firstTokenId: string | undefined,
  { publicUrl, bootstrapTokenFile }: Pick<Config, 'publicUrl' | 'bootstrapTokenFile'>,
): Promise<void> {
  if (firstTokenId === undefined || bootstrapTokenFile !== undefined) return;
  const code = await new SessionStore(database).addLink(firstTokenId, new Date());
  const url = toSignInUrl(publicUrl, code);
  process.stdout.write(
    `To sign in with your browser, open this link within ten minutes. It works once: ${url}\n`,
  );
}

/** Writes the bootstrap token to a new file, or prints it if there is no file. @throws {ConfigError} */
export async function deliverToken(tokenString: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(`bootstrap token: ${tokenString}\n`);
    process.stdout.write('It can read, write and embed, and is not shown again. Keep it secret.\n');
    return;
  }
  const draft = `${file}.part`;
  try {
    await writeSecret(draft, `${tokenString}\n`);
    // Unlike a rename, a link does not replace an existing file.
    await link(draft, file);
    // Without this sync, a power failure could lose the file, and with it the only token.
    await syncDirectory(dirname(file));
    process.stdout.write(
      `The bootstrap token was written to ${resolve(file)}. It can read, write and embed. Keep it secret.\n`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EEXIST'
        ? 'exists already. Set the path of a new file, or delete this file if it is not needed'
        : `cannot be written (${code}). Set the path of a new file in a folder that this user can write to`;
    throw new ConfigError(`CLOCHE_BOOTSTRAP_TOKEN_FILE is "${file}", which ${reason}.`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeSecret(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  // The mode of `open` has no effect on an existing file.
  await file.chmod(0o600);
  await file.writeFile(text);
  await file.sync();
}
