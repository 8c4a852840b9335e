/**
 * Every text that visitors read, in English. The viewer imports this file; the build writes it to
 * `dist/i18n/en.json`, which the server reads for its pages.
 */
export const en = {
  'errorPage.documentTitle': 'Not shown here',
  'errorPage.retrying': 'This page tries again automatically.',
  'errorPage.reload': 'Then reload the page.',
  'errorPage.learnMore': 'What this means',
} as const;

export type MessageKey = keyof typeof en;
