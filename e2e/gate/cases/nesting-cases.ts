import {
  createCase,
  createGroup,
  type GateCase,
  LISTED,
  type Outcome,
  type PageOptions,
  UNLISTED,
} from '../gate-case.ts';
import { FRAME_SIZE, type GateRun } from '../gate-run.ts';

const WILD: PageOptions = { host: 'a.wild.test' };
const OTHER_UNLISTED: PageOptions = { host: 'other.test' };

/** The pages around the iframe, from the first page to the last, and the outcome. */
const CHAINS: readonly [name: string, pages: PageOptions[], outcome: Outcome][] = [
  ['listed > same listed', [LISTED, LISTED], 'shown'],
  ['listed > other listed', [LISTED, WILD], 'shown'],
  ['listed > unlisted', [LISTED, UNLISTED], 'denied'],
  ['unlisted > listed', [UNLISTED, LISTED], 'denied'],
  ['unlisted > same unlisted', [UNLISTED, UNLISTED], 'denied'],
  ['unlisted > other unlisted', [UNLISTED, OTHER_UNLISTED], 'denied'],
  ['listed > other listed > listed', [LISTED, WILD, LISTED], 'shown'],
  ['listed > unlisted > listed', [LISTED, UNLISTED, LISTED], 'denied'],
  ['unlisted > listed > listed', [UNLISTED, LISTED, WILD], 'denied'],
  ['listed > listed > unlisted', [LISTED, WILD, UNLISTED], 'denied'],
  ['unlisted > listed > unlisted', [UNLISTED, LISTED, UNLISTED], 'denied'],
  ['listed > unlisted > unlisted', [LISTED, UNLISTED, OTHER_UNLISTED], 'denied'],
];

function renderChain(run: GateRun, pages: readonly PageOptions[], referrer: string): string {
  const attributes = `referrerpolicy="${referrer}"`;
  const inner = pages
    .slice(1)
    .reduceRight((html, page) => run.nest(html, page, attributes), run.frame(attributes));
  return inner;
}

/** Pages in pages. Every page around the iframe must be listed. */
export const NESTING_CASES: GateCase[] = createGroup('Nesting', [
  ...CHAINS.map(([name, pages, outcome]) =>
    createCase(name, pages[0] ?? LISTED, outcome, (run) =>
      renderChain(run, pages, 'strict-origin'),
    ),
  ),
  ...CHAINS.map(([name, pages, outcome]) =>
    createCase(`${name}, all hide their Referer`, pages[0] ?? LISTED, outcome, (run) =>
      renderChain(run, pages, 'no-referrer'),
    ),
  ),
  ...(
    [
      ['listed > srcdoc > listed', LISTED, 'shown'],
      ['unlisted > srcdoc > listed', UNLISTED, 'denied'],
    ] as const
  ).map(([name, page, outcome]) =>
    createCase(name, page, outcome, (run) => {
      const srcdoc = run.nest(run.frame(), LISTED).replaceAll("'", '&#39;');
      return `<iframe ${FRAME_SIZE} srcdoc='${srcdoc}'></iframe>`;
    }),
  ),
  createCase('listed > srcdoc > unlisted', LISTED, 'denied', (run) => {
    const srcdoc = run.nest(run.frame(), UNLISTED);
    return `<iframe ${FRAME_SIZE} srcdoc='${srcdoc}'></iframe>`;
  }),
  createCase('listed > data: > listed', LISTED, 'denied', (run) => {
    const inner = encodeURIComponent(run.nest(run.frame(), LISTED));
    return `<iframe ${FRAME_SIZE} src="data:text/html,${inner}"></iframe>`;
  }),
  createCase('listed > data: > listed, all hide their Referer', LISTED, 'denied', (run) => {
    const hidden = 'referrerpolicy="no-referrer"';
    const inner = encodeURIComponent(run.nest(run.frame(hidden), LISTED, hidden));
    return `<iframe ${FRAME_SIZE} ${hidden} src="data:text/html,${inner}"></iframe>`;
  }),
  ...['object', 'embed'].flatMap((tag) =>
    (
      [
        ['listed', LISTED, 'shown'],
        ['unlisted', UNLISTED, 'denied'],
      ] as const
    ).map(([name, page, outcome]) =>
      createCase(`${name} > listed in <${tag}>`, page, outcome, (run) => {
        const attribute = tag === 'object' ? 'data' : 'src';
        return `<${tag} ${attribute}="${run.addPage(run.frame(), LISTED)}" type="text/html" ${FRAME_SIZE}></${tag}>`;
      }),
    ),
  ),
  createCase(
    'listed > listed in <frame>',
    LISTED,
    'shown',
    (run) => `<frameset cols="100%"><frame src="${run.addPage(run.frame())}"></frameset>`,
  ),
  createCase(
    'unlisted > listed in <frame>',
    UNLISTED,
    'denied',
    (run) => `<frameset cols="100%"><frame src="${run.addPage(run.frame())}"></frameset>`,
  ),
]);
