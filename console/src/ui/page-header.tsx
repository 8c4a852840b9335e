import type { ReactNode } from 'react';
import { isolateText } from './isolate-text.ts';

type PageHeaderProps = { title: string; lead?: ReactNode; children?: ReactNode };

/** The heading of a page, what the page is for, and its actions. Also sets the title of the document. */
export function PageHeader({ title, lead, children }: PageHeaderProps) {
  return (
    <header className="heading">
      <title>{`${isolateText(title)} · Cloche`}</title>
      <div>
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {lead && <p className="lead">{lead}</p>}
      </div>
      {children && <div className="actions">{children}</div>}
    </header>
  );
}
