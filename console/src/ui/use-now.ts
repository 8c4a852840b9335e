import { useEffect, useState } from 'react';

/** The current time, which is read again after each interval. Undefined: it stays the same. */
export function useNow(intervalMs: number | undefined): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (intervalMs === undefined) return;
    setNow(new Date());
    const timer = setInterval(() => setNow(new Date()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
