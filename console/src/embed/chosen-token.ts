import type { Token } from '@cloche/contract/token';

/** The token of the code. Its text is known only right after it was created, or if someone enters it. */
export type ChosenToken = Pick<Token, 'id' | 'origins' | 'expiresAt'> & {
  text: string | undefined;
  isNew: boolean;
};

const PUBLIC_TOKEN = /^cloche_pk_[0-9A-Za-z]{38}$/;

/** Says whether a text can be that of a public token. The code to paste never contains another one, such as a secret token. */
export const isPublicTokenText = (text: string): boolean => PUBLIC_TOKEN.test(text);
