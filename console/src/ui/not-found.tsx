import { texts } from '../i18n/en.ts';
import { ButtonLink } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

/** The page for an address without a page. */
export function NotFound() {
  return (
    <>
      <PageHeader title={texts.common.notFoundTitle} />
      <EmptyState title={texts.common.notFound}>
        <p>{texts.common.notFoundHint}</p>
        <ButtonLink to="/designs">{texts.common.toDesigns}</ButtonLink>
      </EmptyState>
    </>
  );
}
