import { useNavigate, useSearch } from '@tanstack/react-router';
import { pageCheckTexts } from '../i18n/en/page-check.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PageCheckForm } from './page-check-form.tsx';
import { PageCheckResult } from './page-check-result.tsx';
import { usePageCheck } from './use-page-check.ts';
import './page-check.css';

/** Checks the embeds of a live page. Its URL is in the query, so that the check can be linked to. */
export function PageCheckPage() {
  const { url = '' } = useSearch({ from: '/page-check' });
  const navigate = useNavigate({ from: '/page-check' });
  const check = usePageCheck(url);
  const start = (next: string) =>
    next === url ? void check.refetch() : void navigate({ search: { url: next } });
  return (
    <>
      <PageHeader title={pageCheckTexts.title} lead={pageCheckTexts.lead} />
      <div className="stack">
        <PageCheckForm key={url} url={url} isPending={check.isFetching} onSubmit={start} />
        <p className="loading" role="status">
          {check.isFetching && pageCheckTexts.checking(url)}
        </p>
        {check.error && !check.isFetching && <ErrorMessage error={check.error} />}
        {check.data && !check.isFetching && <PageCheckResult check={check.data} />}
        {url === '' && <Introduction />}
        {url !== '' && !check.isFetching && (
          <Button onClick={() => void check.refetch()}>{pageCheckTexts.again}</Button>
        )}
      </div>
    </>
  );
}

function Introduction() {
  return (
    <section className="card">
      <h2>{pageCheckTexts.intro}</h2>
      <p>{pageCheckTexts.introText}</p>
    </section>
  );
}
