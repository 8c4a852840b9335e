import type { ReactNode } from 'react';

/** A short state: `ready`, `failed`, `expired`. The text says it; the color only repeats it. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'good' | 'busy' | 'bad' | 'warning';
  children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
