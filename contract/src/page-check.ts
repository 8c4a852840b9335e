import Type, { type Static } from 'typebox';
import { ViewerOptionsResponse } from './viewer-options-schema.ts';

/**
 * What can be wrong with an embed in a page, apart from the problems of tokens and designs, which have the codes of
 * `problem.ts`. An error means that the design is
 * not shown.
 *
 * Clients rely on the codes: never rename or reuse a released one. docs/embed.md explains each code, and a test fails
 * when that page and this list differ.
 */
export const pageFindings = {
  'page.redirected': { severity: 'warning', title: 'The page is on another origin than its URL.' },
  'page.refresh': { severity: 'warning', title: 'The page sends visitors to another page.' },

  'frame.as-text': { severity: 'error', title: 'The page shows the HTML as text.' },
  'frame.in-comment': { severity: 'error', title: 'The HTML is in a comment.' },
  'frame.in-noscript': { severity: 'error', title: 'The iframe is in <noscript>.' },
  'frame.in-template': { severity: 'error', title: 'The iframe is in <template>.' },
  'frame.other-element': { severity: 'error', title: 'The URL is not that of an iframe.' },
  'frame.other-service': { severity: 'error', title: 'The URL is not of this service.' },
  'frame.no-src': { severity: 'warning', title: 'The iframe has no src.' },
  'frame.srcdoc': { severity: 'error', title: 'The iframe has a srcdoc.' },
  'frame.mixed-content': { severity: 'error', title: 'An https page contains an http iframe.' },
  'frame.http': { severity: 'warning', title: 'The URL of the iframe begins with http.' },
  'frame.csp': { severity: 'error', title: 'The policy of the page does not allow the iframe.' },
  'frame.page-sandbox': { severity: 'error', title: 'The page is in a sandbox.' },
  'frame.sandbox': { severity: 'error', title: 'The sandbox of the iframe is too strict.' },
  'frame.hidden': { severity: 'error', title: 'The iframe is hidden.' },
  'frame.in-hidden': { severity: 'warning', title: 'The iframe is in a hidden element.' },
  'frame.referrer': { severity: 'warning', title: 'The page hides its origin.' },
  'frame.fullscreen': { severity: 'warning', title: 'There is no fullscreen button.' },
  'frame.title': { severity: 'warning', title: 'The iframe has no title.' },
  'frame.options': { severity: 'warning', title: 'An option is ignored.' },
  'frame.shared': { severity: 'warning', title: 'The iframe shows a shared design.' },

  'element.source': { severity: 'error', title: 'The element does not name a design and a token.' },
  'element.no-script': { severity: 'error', title: 'The page has no script.' },
  'element.script': { severity: 'warning', title: 'The script of the element was not found.' },
  'element.script-csp': { severity: 'error', title: 'The policy does not allow the script.' },

  'token.not-yours': { severity: 'warning', title: 'The token is not yours.' },
} as const satisfies Record<string, { severity: Severity; title: string }>;

type Severity = 'error' | 'warning';

/** The code of a finding that is not a problem of a token or a design. */
export type PageFindingCode = keyof typeof pageFindings;

/** A page to check. */
export const CheckPageRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The URL of a page that anyone can open.',
      examples: ['https://shop.example/chairs'],
    }),
  },
  { additionalProperties: false },
);
export type CheckPageRequest = Static<typeof CheckPageRequest>;

/** Something that is wrong, and what to change. */
export const PageFinding = Type.Object({
  code: Type.String({
    description: 'Stable identifier: one of the findings, or the code of a problem.',
    examples: ['frame.csp'],
  }),
  severity: Type.Enum(['error', 'warning'], {
    description: '`error`: the design is not shown.',
  }),
  title: Type.String(),
  detail: Type.String({ description: 'What is wrong here.' }),
  fix: Type.String({ description: 'What to change.' }),
});
export type PageFinding = Static<typeof PageFinding>;

/** An embed in a page. */
export const PageEmbed = Type.Object({
  element: Type.String({ description: 'The name of the element.', examples: ['iframe'] }),
  line: Type.Integer({ description: 'The line of the HTML, from 1.' }),
  design: Type.Union([Type.String(), Type.Null()], { description: 'The id in the URL.' }),
  tokenId: Type.Union([Type.String(), Type.Null()], {
    description: 'The id of the token, if it is one of yours.',
  }),
  options: ViewerOptionsResponse,
  shows: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the design is shown. Null if the token is not yours.',
  }),
  findings: Type.Array(PageFinding),
});
export type PageEmbed = Static<typeof PageEmbed>;

/** The embeds of a page. */
export const PageCheck = Type.Object({
  url: Type.String({ description: 'The URL of the page, after redirects.' }),
  redirects: Type.Array(Type.String(), { description: 'The URLs of the redirects, oldest first.' }),
  shows: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'Whether the page shows all of its embeds. False if it has none. Null if the only reason not to know is a token that is not yours.',
  }),
  summary: Type.String({ description: 'The result in a sentence.' }),
  findings: Type.Array(PageFinding, { description: 'What concerns the page as a whole.' }),
  embeds: Type.Array(PageEmbed, { description: 'In the order of the page, at most 50.' }),
  embedCount: Type.Integer({ description: 'The number of embeds, also if there are more.' }),
});
export type PageCheck = Static<typeof PageCheck>;
