import { mapConcurrently } from '../../scripts/map-concurrently.ts';
import { type GateCase, getCorrectOutcome, type Outcome, toCaseId } from './gate-case.ts';
import { type GateEngine, UnfinishedPageError, UnresponsiveBrowserError } from './gate-engine.ts';
import type { GateRun } from './gate-run.ts';
import type { GateWorld } from './gate-world.ts';
import { watchControl, watchPage } from './watch-page.ts';

/** What happened: the outcome for each case that is correct, and one text for each that is not. */
export type MatrixResult = { outcomes: ReadonlyMap<GateCase, Outcome>; failures: string[] };

type MatrixOptions = {
  engine: GateEngine;
  world: GateWorld;
  /** Maximum time for each state that a page must reach. */
  timeoutMs?: number;
  /** Whether denied cases are opened once more, without a gate. Default: true. */
  hasControls?: boolean;
};

type WatchOptions = Required<Omit<MatrixOptions, 'hasControls'>>;

type MatrixRun = { gateCase: GateCase; isControl: boolean };

/** How often a run is tried in which the browser does not respond, or stops the page. */
const MAX_ATTEMPTS = 3;

/**
 * Opens the page of each case. A case that is denied is opened once more, as a control, with a copy of the service that has no gate: there,
 * its page must show the design.
 */
export async function runMatrix(
  cases: readonly GateCase[],
  { engine, world, timeoutMs = 60_000, hasControls = true }: MatrixOptions,
): Promise<MatrixResult> {
  const outcomes = new Map<GateCase, Outcome>();
  const failures: string[] = [];
  const runs = cases
    .filter(({ cannotRun }) => cannotRun?.[engine.name] === undefined)
    .flatMap((gateCase): MatrixRun[] => {
      const hasControl = hasControls && getCorrectOutcome(gateCase, engine.name) === 'denied';
      return [
        { gateCase, isControl: false },
        ...(hasControl ? [{ gateCase, isControl: true }] : []),
      ];
    });
  await mapConcurrently(runs, engine.concurrency, async (matrixRun) => {
    const result = await runWithRetries(matrixRun, { engine, world, timeoutMs });
    if (result.error !== undefined) failures.push(describeFailure(matrixRun, result));
    else if (result.outcome) outcomes.set(matrixRun.gateCase, result.outcome);
  });
  return { outcomes, failures };
}

type RunResult = {
  outcome?: Outcome | undefined;
  error?: unknown;
  log: readonly string[];
  /** Number of responses since the last reset of the evidence. */
  responses: number;
};

/** Runs a case again if the browser has stopped responding, or has stopped the page: neither says anything about the case. */
async function runWithRetries(matrixRun: MatrixRun, options: WatchOptions): Promise<RunResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await runOnce(matrixRun, options);
    const isUnresponsive = result.error instanceof UnresponsiveBrowserError;
    const isUnfinished = result.error instanceof UnfinishedPageError || result.responses === 0;
    const hasStopped = options.engine.stopsPages && result.error && isUnfinished;
    if (!(isUnresponsive || hasStopped) || attempt === MAX_ATTEMPTS) return result;
  }
}

/** Opens a page and watches it. A control has no outcome. */
async function runOnce(
  { gateCase, isControl }: MatrixRun,
  { engine, world, timeoutMs }: WatchOptions,
): Promise<RunResult> {
  let run: GateRun | undefined;
  try {
    const created = await world.createRun(gateCase, isControl);
    run = created.run;
    const page = await engine.open(created.url);
    try {
      const watched = { page, run, gateCase, timeoutMs };
      if (isControl) await watchControl(watched);
      const outcome = isControl ? undefined : await watchPage(watched, engine.name);
      return { outcome, ...getEvidence(run) };
    } finally {
      run.isClosed = true;
      await page.close();
    }
  } catch (error) {
    return { error, ...getEvidence(run) };
  }
}

function getEvidence(run: GateRun | undefined): Pick<RunResult, 'log' | 'responses'> {
  return { log: run?.evidence.log ?? [], responses: run?.evidence.responses ?? 0 };
}

function describeFailure({ gateCase, isControl }: MatrixRun, { error, log }: RunResult): string {
  const label = `${toCaseId(gateCase)}${isControl ? ' (control)' : ''}`;
  return [`${label}: ${String(error)}`, ...log].join('\n    ');
}
