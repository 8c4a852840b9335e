import type { Database, Transaction } from '../database/database.ts';
import { runTransaction } from '../database/transaction.ts';
import { generateSecret } from './session.ts';
import { LINK_TTL_MS, SessionStore } from './session-store.ts';
import { toSignInUrl } from './sign-in-link.ts';
import { createToken, type TokenRecord } from './token.ts';
import { TokenStore } from './token-store.ts';

type SignInLinkOptions = { database: Database; publicUrl: string; now: Date };

/**
 * Creates a one-time link that signs in a user. The session acts on behalf of a token of the user that can do everything;
 * without one, it is created.
 */
export async function createSignInLink(
  userId: string,
  { database, publicUrl, now }: SignInLinkOptions,
): Promise<{ url: string; expiresAt: Date }> {
  const tokenId = await findOrCreateToken(database, userId, now);
  const code = await new SessionStore(database).addLink(tokenId, now);
  return { url: toSignInUrl(publicUrl, code), expiresAt: new Date(now.getTime() + LINK_TTL_MS) };
}

/** A link of a user that does not exist yet. `add` is called in the transaction that adds the user. */
export type FirstSignInLink = {
  url: string;
  expiresAt: Date;
  add(trx: Transaction): Promise<void>;
};

/** Generates the first link of a new user, so that its URL is known before anything is written. */
export function createFirstSignInLink(
  userId: string,
  { database, publicUrl, now }: SignInLinkOptions,
): FirstSignInLink {
  const token = createTokenForLinks(userId, now);
  const secret = generateSecret();
  return {
    url: toSignInUrl(publicUrl, secret),
    expiresAt: new Date(now.getTime() + LINK_TTL_MS),
    async add(trx) {
      await new TokenStore(database).add(token, trx);
      await new SessionStore(database).addLinkWithSecret(token.id, secret, now, trx);
    },
  };
}

async function findOrCreateToken(database: Database, user: string, now: Date): Promise<string> {
  const tokens = new TokenStore(database);
  const found = await tokens.findUnlimited(user);
  if (found !== undefined) return found;
  const token = createTokenForLinks(user, now);
  await runTransaction(database, (trx) => tokens.add(token, trx));
  return token.id;
}

/** Nobody gets the token string of a token that is created here. */
function createTokenForLinks(user: string, now: Date): TokenRecord {
  const { token } = createToken(
    {
      user,
      name: 'sign-in links',
      capabilities: ['read', 'write', 'embed'],
      origins: [],
      designs: undefined,
      expiresAt: undefined,
    },
    now,
  );
  return token;
}
