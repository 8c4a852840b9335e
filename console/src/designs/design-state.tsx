import type { Design } from '@cloche/contract/design';
import { texts } from '../i18n/en.ts';
import { Badge } from '../ui/badge.tsx';
import { AgeAt } from '../ui/time.tsx';

const TONES = {
  queued: 'neutral',
  processing: 'busy',
  ready: 'good',
  failed: 'bad',
  cancelled: 'warning',
} as const;

/** The state of the newest file of a design: while it is processed with the progress, otherwise with its age. */
export function DesignState({
  design,
  now,
}: {
  design: Pick<Design, 'status' | 'progress' | 'problem' | 'createdAt'>;
  now: Date;
}) {
  const { status, progress, problem, createdAt } = design;
  return (
    <>
      <p className="card-state">
        <Badge tone={TONES[status]}>{texts.designs.states[status]}</Badge>
        {status === 'processing' && progress ? (
          <span>{texts.designs.progress(progress.percent, progress.step)}</span>
        ) : (
          <AgeAt time={createdAt} now={now} />
        )}
      </p>
      {problem && (
        <p className="card-problem" title={problem.detail}>
          <bdi>{problem.detail}</bdi>
        </p>
      )}
    </>
  );
}
