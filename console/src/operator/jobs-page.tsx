import type { JobState } from '@cloche/contract/processing-job';
import { Link, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatInteger } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import { JobItem } from './job-item.tsx';
import { JOB_LISTS, parseJobState } from './job-lists.ts';
import { OperatorShell } from './operator-shell.tsx';
import { useJobCounts, useJobs } from './use-jobs.ts';

/** The jobs of all users. */
export function JobsPage() {
  const search = useSearch({ from: '/operator/jobs' });
  const state = parseJobState(search.state);
  return (
    <OperatorShell title={operatorTexts.jobs.title} lead={operatorTexts.jobs.lead}>
      <StateTabs state={state} />
      <JobList key={state} state={state} />
    </OperatorShell>
  );
}

function StateTabs({ state }: { state: JobState }) {
  const { data: counts } = useJobCounts();
  return (
    <nav className="state-tabs" aria-label={operatorTexts.jobs.title}>
      {JOB_LISTS.map((name) => (
        <Link
          key={name}
          to="/operator/jobs"
          search={{ state: name }}
          className="button plain"
          aria-current={name === state ? 'page' : undefined}
        >
          {operatorTexts.jobs.states[name]}
          {counts && <span className="count">{formatInteger(counts[name])}</span>}
        </Link>
      ))}
    </nav>
  );
}

function JobList({ state }: { state: JobState }) {
  const { jobs: t } = operatorTexts;
  const jobs = useJobs(state);
  const heading = useRef<HTMLHeadingElement>(null);
  const items = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section>
      <h2 ref={heading} tabIndex={-1} className="visually-hidden">
        {t.states[state]}
      </h2>
      {jobs.error && <ErrorMessage error={jobs.error} onRetry={jobs.refetch} />}
      {jobs.isPending && <Loading />}
      {jobs.isSuccess && items.length === 0 && <EmptyState title={t.empty[state]} />}
      <ul className="job-list">
        {items.map((job) => (
          // The button that had the focus goes with the job.
          <JobItem key={job.id} job={job} onChange={() => heading.current?.focus()} />
        ))}
      </ul>
      {jobs.hasNextPage && (
        <Button pending={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
          {texts.common.showMore}
        </Button>
      )}
    </section>
  );
}
