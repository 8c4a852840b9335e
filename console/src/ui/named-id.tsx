import type { ReactNode } from 'react';
import './named-id.css';

/** An id below the name of what it stands for. Without a name, only the id. */
export function NamedId({ id, children }: { id: string; children: ReactNode }) {
  return (
    <span className="named-id">
      {children}
      <code>{id}</code>
    </span>
  );
}
