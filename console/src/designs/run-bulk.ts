import type { SelectedDesign } from './use-selection.ts';

/** A design that an action could not be applied to. */
type BulkFailure = { design: SelectedDesign; error: unknown };

export type BulkResult = {
  doneIds: string[];
  failures: BulkFailure[];
  /** The designs that were not reached, because the action was stopped. */
  rest: SelectedDesign[];
};

type BulkOptions = {
  /** How many designs at the same time. */
  parallel: number;
  onProgress: (finishedCount: number) => void;
  signal: AbortSignal;
};

/** Applies an action to designs. Failures do not stop it; the signal does, after the designs that have begun. */
export async function runBulk(
  designs: readonly SelectedDesign[],
  action: (design: SelectedDesign) => Promise<void>,
  { parallel, onProgress, signal }: BulkOptions,
): Promise<BulkResult> {
  const result: BulkResult = { doneIds: [], failures: [], rest: [] };
  const queue = [...designs];
  const run = async () => {
    for (let design = queue.shift(); design !== undefined; design = queue.shift()) {
      if (signal.aborted) {
        result.rest.push(design);
        continue;
      }
      try {
        await action(design);
        result.doneIds.push(design.id);
      } catch (error) {
        result.failures.push({ design, error });
      }
      onProgress(result.doneIds.length + result.failures.length);
    }
  };
  await Promise.all(Array.from({ length: parallel }, run));
  return result;
}
