import type { CheckEmbedRequest } from '@cloche/contract/embed';
import { embedTexts } from '../i18n/en/embed.ts';
import { parsePageOrigins } from '../origins/page-origins.ts';
import type { ChosenToken } from './chosen-token.ts';

/** What a check is about. */
export type CheckInput = {
  designId: string;
  token: Pick<ChosenToken, 'id' | 'text'> | undefined;
  /** The address of the page. */
  url: string;
  /** The addresses of the pages around it, innermost first. */
  outerPages: string;
  hidesReferrer: boolean;
};

/** What is wrong with the address of the page, or with those of the pages around it. */
export type CheckMistake = { field: 'url' | 'outerPages'; text: string };

const MAX_OUTER_PAGES = 19;

/** Creates the request of a check. It has the text of the token if that was entered: it may be the text of another token. */
export function createCheckRequest(
  input: CheckInput,
): { request: CheckEmbedRequest } | { mistake: CheckMistake } {
  const { designId: design, token, url, outerPages, hidesReferrer } = input;
  const { needsToken, invalid, invalidOuter } = embedTexts.check;
  if (token === undefined) return { mistake: { field: 'url', text: needsToken } };
  const [origin, ...others] = parsePageOrigins(url);
  if (origin === undefined || others.length > 0)
    return { mistake: { field: 'url', text: invalid } };
  const outer = outerPages.split(/[\s,]+/).flatMap(parsePageOrigins);
  if (outer.length > MAX_OUTER_PAGES)
    return { mistake: { field: 'outerPages', text: invalidOuter(MAX_OUTER_PAGES) } };
  const request: CheckEmbedRequest = {
    ...(token.text === undefined ? { tokenId: token.id } : { token: token.text }),
    ...{ design, ancestors: [origin, ...outer] },
    ...(hidesReferrer && { hidesReferrer }),
  };
  return { request };
}
