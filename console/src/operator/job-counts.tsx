import { Link } from '@tanstack/react-router';
import { operatorTexts } from '../i18n/en/operator.ts';
import { formatInteger } from '../ui/format.ts';
import { JOB_LISTS } from './job-lists.ts';
import { QueryView } from './query-view.tsx';
import { useJobCounts } from './use-jobs.ts';

/** How many jobs are waiting, running and failed, with links to them. */
export function JobCounts() {
  const counts = useJobCounts();
  return (
    <section aria-label={operatorTexts.jobs.title}>
      <QueryView query={counts}>
        {(data) => (
          <ul className="job-counts">
            {JOB_LISTS.map((state) => (
              <li key={state}>
                <Link to="/operator/jobs" search={{ state }} className="card">
                  <b className={state === 'failed' && data.failed > 0 ? 'error' : ''}>
                    {formatInteger(data[state])}
                  </b>{' '}
                  {operatorTexts.jobs.counted[state](data[state])}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </section>
  );
}
