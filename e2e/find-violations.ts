import axe from 'axe-core';
import type { Frame } from 'playwright-core';

/** Runs axe in a document; returns one line for each rule and element that it reports. */
export async function findViolations(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(axe.source);
  return frame.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  });
}
