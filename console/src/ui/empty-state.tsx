import type { ReactNode } from 'react';

/** Shown in place of an empty list: what would be here, and how to get the first one. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <svg
        viewBox="0 0 40 40"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d="M20 4l14 8v16l-14 8-14-8V12zM6 12l14 8 14-8M20 20v16" />
      </svg>
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}
