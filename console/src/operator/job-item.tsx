import type { ProcessingJob } from '@cloche/contract/processing-job';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { formatInteger, formatTime } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';
import { CancelJobButton, RetryJobButton } from './job-buttons.tsx';

type JobItemProps = { job: ProcessingJob; onChange: () => void };

/** A job: its design, its owner, what has happened, and what can be done. */
export function JobItem({ job, onChange }: JobItemProps) {
  const { jobs: t } = operatorTexts;
  const { mayWrite } = usePermissions();
  const { session } = useApi();
  const { state, purpose, design, revision, owner, problem } = job;
  const name = <bdi>{design.name}</bdi>;
  return (
    <li className="card job">
      <div className="job-name">
        <h3>
          {owner.id === session.user ? (
            <Link to="/designs/$designId" params={{ designId: design.id }}>
              {name}
            </Link>
          ) : (
            name
          )}
        </h3>
        <span className="muted">{t.revision(revision)}</span>
        {purpose === 'poster' && <Badge>{t.poster}</Badge>}
      </div>
      {problem && (
        <p className="error">
          <bdi>{problem.detail}</bdi>{' '}
          <a href={`/docs/problems#${problem.code}`} target="_blank" rel="noopener">
            {t.problem}
          </a>
        </p>
      )}
      <JobFacts job={job} />
      {mayWrite && (
        <div className="actions">
          {state === 'failed' ? (
            <RetryJobButton job={job} onChange={onChange} />
          ) : (
            <CancelJobButton job={job} onChange={onChange} />
          )}
        </div>
      )}
    </li>
  );
}

function JobFacts({ job }: { job: ProcessingJob }) {
  const { jobs: t } = operatorTexts;
  const { owner, node, attempts, createdAt, failedAt, dueAt } = job;
  return (
    <dl className="job-facts">
      <Fact name={t.owner}>
        <bdi>{owner.name}</bdi>
      </Fact>
      <Fact name={t.added}>
        <Age time={createdAt} />
      </Fact>
      {failedAt !== null && (
        <Fact name={t.failedAt}>
          <Age time={failedAt} />
        </Fact>
      )}
      {dueAt !== null && <Fact name={t.next}>{formatTime(new Date(dueAt))}</Fact>}
      <Fact name={t.attempts}>{attempts === null ? t.unknown : formatInteger(attempts)}</Fact>
      {node !== null && (
        <Fact name={t.node}>
          <bdi>{node}</bdi>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="job-fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
