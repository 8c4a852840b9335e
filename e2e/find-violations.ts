import axe, { type RunOptions } from 'axe-core';
import type { Frame } from 'playwright-core';

/** Rules that depend on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

type AxeOptions = Pick<RunOptions, 'rules' | 'runOnly'>;

/** For a document that is examined in another color scheme, too: only the rules that depend on it. */
export const ONLY_COLORS: AxeOptions = { runOnly: { type: 'rule', values: COLOR_RULES } };

/** Runs axe in a document, by default with the rules that are enabled; returns one line for each rule and element that it reports. */
export async function findViolations(frame: Frame, options: AxeOptions = {}): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(axe.source);
  return frame.evaluate(async (options) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
    );
  }, options);
}
