import { useState } from 'react';
import { type BulkResult, runBulk } from './run-bulk.ts';
import type { SelectedDesign, Selection } from './use-selection.ts';

/** What an action on several designs does at the moment. */
export type BulkState =
  | { name: 'ready' }
  | { name: 'running'; finishedCount: number; total: number; stop: () => void }
  | { name: 'ended'; total: number; result: BulkResult };

type BulkAction = { run: (design: SelectedDesign) => Promise<void>; parallel: number };

/**
 * Applies an action to the selected designs. Designs with which it was successful are no longer selected, so that it can be
 * repeated with the rest.
 */
export function useBulk(selection: Selection) {
  const [state, setState] = useState<BulkState>({ name: 'ready' });
  const start = async ({ run, parallel }: BulkAction): Promise<BulkResult> => {
    const designs = [...selection.selected.values()];
    const controller = new AbortController();
    const stop = () => controller.abort();
    const total = designs.length;
    const onProgress = (finishedCount: number) =>
      setState({ name: 'running', finishedCount, total, stop });
    onProgress(0);
    const { signal } = controller;
    const result = await runBulk(designs, run, { parallel, onProgress, signal });
    selection.replace([...result.failures.map(({ design }) => design), ...result.rest]);
    setState({ name: 'ended', total, result });
    return result;
  };
  return { state, start };
}
