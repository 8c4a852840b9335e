import type { GateRun } from './gate-run.ts';
import type { GateService } from './gate-service.ts';

/** What a visitor sees: the 3D view, only the poster, only a message that says why there is no 3D view, or nothing of the design. */
export type Outcome = 'shown' | 'poster' | 'message' | 'denied';

export const ENGINE_NAMES = ['Chromium', 'Firefox', 'WebKit'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** Where a page is, and how it is served. */
export type PageOptions = {
  /** Default: `shop.test`, which is listed. */
  host?: string;
  /** Default: https. */
  scheme?: 'https' | 'http';
  /** The page is on another port than the listed one. */
  otherPort?: boolean;
  status?: number;
  headers?: Record<string, string>;
};

/** How a case differs from a page with the token of its list. */
export type CaseOptions = {
  /** How the page reaches the service. Default: https. */
  service?: 'https' | 'http' | 'localhost';
  /** The origins of the token. Default: `https://shop.test` and `https://*.wild.test`. */
  origins?: (run: Pick<GateRun, 'toOrigin'>) => string[];
  /** Adds to the request for the token. */
  token?: object;
  /** Creates a design for this case alone. */
  ownDesign?: boolean;
  /** Runs before the page is opened, at the service. */
  prepare?: (run: GateRun, service: GateService) => Promise<unknown>;
  /**
   * What the page does with the URL. `frame`: it shows it, so pixels decide; the browser may refuse a document
   * that was served. `request`: it requests it without showing it, so a served document counts as a leak.
   * `read`: the service sends it to everyone who has the URL, but no page may read it.
   */
  kind?: 'frame' | 'request' | 'read';
  /** The URL replaces a page, so nothing tells the page that the URL has been refused. */
  leavesPage?: boolean;
  /** Number of requests that the service gets at least, before a denial is final. Default: 1. */
  minRequests?: number;
  /** Why the case cannot run in an engine. The reason is in the table. */
  cannotRun?: Partial<Record<EngineName, string>>;
  /** Engines with another outcome that is also correct. */
  outcomeIn?: Partial<Record<EngineName, Outcome>>;
};

/** A page, and what it may show of the design. */
export type GateCase = CaseOptions & {
  group: string;
  name: string;
  outcome: Outcome;
  page: PageOptions;
  /** Returns the HTML of the page, or a URL that is opened in its place. */
  render: (run: GateRun) => string | URL;
};

type UngroupedCase = Omit<GateCase, 'group'>;

export const LISTED: PageOptions = {};
export const UNLISTED: PageOptions = { host: 'evil.test' };

export const REQUEST = { kind: 'request' } as const;
export const LEAVES_PAGE = { leavesPage: true } as const;

/** The page of most cases: an iframe, as in the snippet. */
export const renderFrame: GateCase['render'] = (run) => run.frame();
export const renderHiddenFrame: GateCase['render'] = (run) =>
  run.frame('referrerpolicy="no-referrer"');

/** Creates a case. */
export function createCase(
  name: string,
  page: PageOptions,
  outcome: Outcome,
  render: GateCase['render'],
  options: CaseOptions = {},
): UngroupedCase {
  return { ...options, name, page, outcome, render };
}

/** Creates a case for a listed page, and one for an unlisted page, which may never show the design. */
export function createPair(
  name: string,
  outcome: Outcome,
  render: GateCase['render'],
  options: CaseOptions & { page?: PageOptions } = {},
): UngroupedCase[] {
  const { page, ...caseOptions } = options;
  return [
    createCase(`${name}, listed page`, { ...page, ...LISTED }, outcome, render, caseOptions),
    createCase(`${name}, unlisted page`, { ...page, ...UNLISTED }, 'denied', render, {
      ...caseOptions,
      outcomeIn: {},
    }),
  ];
}

export function createGroup(group: string, cases: readonly UngroupedCase[]): GateCase[] {
  return cases.map((gateCase) => ({ ...gateCase, group }));
}

/** The outcome that is correct in an engine. */
export function getCorrectOutcome({ outcome, outcomeIn }: GateCase, engine: EngineName): Outcome {
  return outcomeIn?.[engine] ?? outcome;
}

/** The name of a case with its group. */
export const toCaseId = ({ group, name }: Pick<GateCase, 'group' | 'name'>) => `${group}: ${name}`;
