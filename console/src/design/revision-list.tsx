import type { Design, Revision } from '@cloche/contract/design';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatBytes } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import { Age } from '../ui/time.tsx';
import { useReloadDesign, useRevisions, useUpdateDesign } from './use-design.ts';

export type RevisionAction = { kind: 'show' | 'cancel' | 'delete'; number: number };

const TONES = {
  queued: 'busy',
  processing: 'busy',
  ready: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const;

/** The files of a design, newest first, and what can be done with each. */
export function DesignRevisions({ design }: { design: Design }) {
  const revisions = useRevisions(design);
  const { mayWrite } = usePermissions();
  const [action, setAction] = useState<RevisionAction>();
  const items = revisions.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="card" aria-labelledby="revisions-heading">
      <h2 id="revisions-heading">{texts.design.revisions}</h2>
      {revisions.isPending && <Loading />}
      {revisions.error && <ErrorMessage error={revisions.error} onRetry={revisions.refetch} />}
      <ul className="design-revisions">
        {items.map((revision) => (
          <RevisionItem
            key={revision.number}
            revision={revision}
            onAction={mayWrite ? setAction : undefined}
          />
        ))}
      </ul>
      {revisions.hasNextPage && (
        <Button onClick={() => void revisions.fetchNextPage()}>{texts.common.showMore}</Button>
      )}
      <RevisionDialog design={design} action={action} onClose={() => setAction(undefined)} />
    </section>
  );
}

function RevisionItem({
  revision,
  onAction,
}: {
  revision: Revision;
  onAction: ((action: RevisionAction) => void) | undefined;
}) {
  const { number, status, shown, fileName, format, bytes, createdAt, problem } = revision;
  const isBusy = status === 'queued' || status === 'processing';
  return (
    <li>
      <div>
        <strong>{texts.design.revision(number)}</strong>{' '}
        <Badge tone={TONES[status]}>{texts.design.states[status]}</Badge>{' '}
        {shown && <Badge>{texts.design.shown}</Badge>}
        <p className="hint">
          <bdi>{fileName ?? format}</bdi> · {formatBytes(bytes)} · <Age time={createdAt} />
        </p>
        {problem && (
          <p className="error">
            <bdi>{problem.detail}</bdi>
          </p>
        )}
      </div>
      {onAction && (
        <div className="actions">
          {status === 'ready' && !shown && (
            <Button onClick={() => onAction({ kind: 'show', number })}>
              {texts.design.actions.show(number)}
            </Button>
          )}
          {isBusy && (
            <Button onClick={() => onAction({ kind: 'cancel', number })}>
              {texts.design.actions.cancel(number)}
            </Button>
          )}
          {!shown && !isBusy && (
            <Button variant="danger" onClick={() => onAction({ kind: 'delete', number })}>
              {texts.design.actions.delete(number)}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

/** Asks before a revision is shown, cancelled or deleted. */
export function RevisionDialog({
  design,
  action,
  onClose,
}: {
  design: Design;
  action: RevisionAction | undefined;
  onClose: () => void;
}) {
  const api = useApi();
  const update = useUpdateDesign(design.id);
  const reload = useReloadDesign(design.id);
  const { kind = 'show', number = 0 } = action ?? {};
  const path = `/v1/designs/${design.id}/revisions/${number}`;
  const run = async () => {
    if (kind === 'show') await update({ revision: number });
    if (kind === 'cancel') await api.request(`${path}/cancel`, { method: 'POST' });
    if (kind === 'delete') await api.request(path, { method: 'DELETE' });
    await reload();
  };
  return (
    <ConfirmDialog
      title={texts.design.actions[kind](number)}
      confirm={texts.design.confirms[kind]}
      open={action !== undefined}
      onClose={onClose}
      onConfirm={run}
    >
      <p>{texts.design.explanations[kind]}</p>
    </ConfirmDialog>
  );
}
