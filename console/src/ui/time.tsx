import { formatAge, formatTime } from './format.ts';
import { useNow } from './use-now.ts';

const REFRESH_MS = 30_000;

/** A time as "5 minutes ago", with the exact time as its title. It is kept up to date. */
export function Age({ time }: { time: string }) {
  return <AgeAt time={time} now={useNow(REFRESH_MS)} />;
}

/** A time as it is seen at another one. For lists that update all ages together. */
export function AgeAt({ time, now }: { time: string; now: Date }) {
  const date = new Date(time);
  return (
    <time dateTime={time} title={formatTime(date)}>
      {formatAge(date, now)}
    </time>
  );
}
