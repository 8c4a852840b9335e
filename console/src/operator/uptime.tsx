import { useNow } from '../ui/use-now.ts';
import { formatDuration } from './format-duration.ts';

const REFRESH_MS = 30_000;

/** How long something has been running, with its start as the title. */
export function Uptime({ since }: { since: string }) {
  const now = useNow(REFRESH_MS);
  const start = new Date(since);
  return (
    <time dateTime={since} title={start.toLocaleString('en')}>
      {formatDuration(now.getTime() - start.getTime())}
    </time>
  );
}
