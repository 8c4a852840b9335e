import axe, { type RuleObject } from 'axe-core';
import type { Frame } from 'playwright-core';

/** Runs axe in a document, also with rules that are not enabled by default; returns one line for each rule and element that it reports. */
export async function findViolations(frame: Frame, rules: RuleObject = {}): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(axe.source);
  return frame.evaluate(async (rules) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({ rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  }, rules);
}
