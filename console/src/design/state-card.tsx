import type { Design } from '@cloche/contract/design';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ModelUpload } from './model-upload.tsx';
import { type RevisionAction, RevisionDialog } from './revision-list.tsx';
import { needsNewFile, useRevisions } from './use-design.ts';

/** Why there is no model yet, or no new one, and what can be done. */
export function StateCard({ design }: { design: Design }) {
  const { mayWrite } = usePermissions();
  const { status, progress, problem, revision } = design;
  if (status === 'ready') return null;
  return (
    <section className="card design-state" aria-label={texts.design.state}>
      {progress !== null && (
        <progress max={100} value={progress.percent} aria-label={texts.design.processing} />
      )}
      <p role="status">
        {texts.design.stateTexts[status]} {revision !== null && texts.design.earlierShown}
      </p>
      {problem && (
        <p className="error">
          <bdi>{problem.detail}</bdi>{' '}
          <a href={`/docs/problems#${problem.code}`} target="_blank" rel="noopener">
            {texts.common.whatThisMeans}
          </a>
        </p>
      )}
      {mayWrite &&
        (needsNewFile(design) ? (
          <ModelUpload designId={design.id} />
        ) : (
          <StopButton design={design} />
        ))}
    </section>
  );
}

/** Cancels the file that waits or is processed. */
function StopButton({ design }: { design: Design }) {
  const revisions = useRevisions(design);
  const [action, setAction] = useState<RevisionAction>();
  const newest = revisions.data?.pages[0]?.items[0];
  if (newest?.status !== 'queued' && newest?.status !== 'processing') return null;
  return (
    <p>
      <Button onClick={() => setAction({ kind: 'cancel', number: newest.number })}>
        {texts.design.confirms.cancel}
      </Button>
      <RevisionDialog design={design} action={action} onClose={() => setAction(undefined)} />
    </p>
  );
}
