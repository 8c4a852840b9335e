import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import './operator.css';

type OperatorShellProps = { title: string; lead: string; actions?: ReactNode; children: ReactNode };

/** A page for operators, with links to the others. Other users learn only that the page is not for them. */
export function OperatorShell({ title, lead, actions, children }: OperatorShellProps) {
  const { isOperator } = usePermissions();
  const { pages, navigation, notOperator, notOperatorHint } = operatorTexts;
  if (!isOperator)
    return (
      <>
        <PageHeader title={operatorTexts.title} />
        <EmptyState title={notOperator}>
          <p>{notOperatorHint}</p>
          <ButtonLink to="/designs">{texts.common.toDesigns}</ButtonLink>
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHeader title={title} lead={lead}>
        {actions}
      </PageHeader>
      <nav className="operator-nav" aria-label={navigation}>
        <Link to="/operator" activeOptions={{ exact: true }}>
          {pages.overview}
        </Link>
        <Link to="/operator/jobs" activeOptions={{ includeSearch: false }}>
          {pages.jobs}
        </Link>
        <Link to="/operator/users">{pages.users}</Link>
      </nav>
      {children}
    </>
  );
}
