import { texts } from '../i18n/en.ts';
import type { BulkState } from './use-bulk.ts';

/** The progress of an action on several designs, then what failed. */
export function BulkReport({ state }: { state: Exclude<BulkState, { name: 'ready' }> }) {
  if (state.name === 'running') {
    const text = texts.designs.running(state.finishedCount, state.total);
    return (
      <>
        <progress value={state.finishedCount} max={state.total} aria-label={text} />
        <p role="status">{text}</p>
      </>
    );
  }
  const { failures, rest, doneIds } = state.result;
  return (
    <div role="status">
      {doneIds.length > 0 && <p>{texts.designs.bulkDone(doneIds.length)}</p>}
      {rest.length > 0 && <p>{texts.designs.bulkStopped(rest.length)}</p>}
      {failures.length > 0 && <p className="error">{texts.designs.bulkFailed(failures.length)}</p>}
      <ul className="design-failures">
        {failures.map(({ design, error }) => (
          <li key={design.id}>
            <strong>
              <bdi>{design.name}</bdi>
            </strong>
            : <bdi>{error instanceof Error ? error.message : String(error)}</bdi>
          </li>
        ))}
      </ul>
      <p>{texts.designs.remainSelected}</p>
    </div>
  );
}
