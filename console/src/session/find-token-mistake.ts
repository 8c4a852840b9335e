import { signIn } from '../i18n/en/sign-in.ts';

/** Explains a text that cannot be a secret token, before it is sent. */
export function findTokenMistake(token: string): string | undefined {
  const mistakes = signIn.mistakes;
  if (token === '') return mistakes.empty;
  if (token.startsWith('cloche_pk_')) return mistakes.publicToken;
  return token.startsWith('cloche_sk_') ? undefined : mistakes.other;
}
