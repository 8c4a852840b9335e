import type { EarlyPreview } from '../processing/early-preview-store.ts';
import type { ShownRevision } from './design.ts';

/** What embeds show of a revision whose model is still being made. */
export function toShownRevision({
  revisionId,
  blob,
  sizeBytes,
  stats,
}: EarlyPreview): ShownRevision {
  return {
    id: revisionId,
    stats,
    report: undefined,
    posterPlaceholder: undefined,
    artifacts: [{ kind: 'preview', blob, sizeBytes }],
  };
}
