import { mapConcurrently } from '../../scripts/map-concurrently.ts';
import { type GateCase, getCorrectOutcome, type Outcome, toCaseId } from './gate-case.ts';
import type { GateEngine } from './gate-engine.ts';
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
};

type MatrixRun = { gateCase: GateCase; isControl: boolean };

/**
 * Opens the page of each case. A case that is denied is opened once more, with a copy of the service that has no gate: there, its page
 * must show the design.
 */
export async function runMatrix(
  cases: readonly GateCase[],
  { engine, world, timeoutMs = 60_000 }: MatrixOptions,
): Promise<MatrixResult> {
  const outcomes = new Map<GateCase, Outcome>();
  const failures: string[] = [];
  const runs = cases
    .filter(({ cannotRun }) => cannotRun?.[engine.name] === undefined)
    .flatMap((gateCase): MatrixRun[] => {
      const isDenied = getCorrectOutcome(gateCase, engine.name) === 'denied';
      return [{ gateCase, isControl: false }, ...(isDenied ? [{ gateCase, isControl: true }] : [])];
    });
  await mapConcurrently(runs, engine.concurrency, async ({ gateCase, isControl }) => {
    let run: GateRun | undefined;
    try {
      const created = await world.createRun(gateCase, isControl);
      run = created.run;
      const page = await engine.open(created.url);
      try {
        const watched = { page, run, gateCase, timeoutMs };
        if (isControl) await watchControl(watched);
        else outcomes.set(gateCase, await watchPage(watched, engine.name));
      } finally {
        run.isClosed = true;
        await page.close();
      }
    } catch (error) {
      const label = `${toCaseId(gateCase)}${isControl ? ' (control)' : ''}`;
      failures.push([`${label}: ${String(error)}`, ...(run?.evidence.log ?? [])].join('\n    '));
    }
  });
  return { outcomes, failures };
}
