import type { Design } from '@cloche/contract/design';
import { useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { DropTarget } from '../uploads/drop-target.tsx';
import { UploadButtons } from '../uploads/upload-buttons.tsx';
import { DesignFilters } from './design-filters.tsx';
import { DesignGrid } from './design-grid.tsx';
import { listDesigns } from './design-list.ts';
import type { DesignListSearch } from './design-search.ts';
import { OwnStorage } from './own-storage.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useDesigns } from './use-designs.ts';
import { type Selection, useSelection } from './use-selection.ts';
import { useTags } from './use-tags.ts';
import './designs.css';

/** The designs of the user. */
export function DesignsPage() {
  const { mayUpload } = usePermissions();
  const search = useSearch({ from: '/designs' });
  const query = useDesigns(search);
  const { data, error, isPending, hasNextPage, isFetchNextPageError } = query;
  const designs = useMemo(() => listDesigns(data), [data]);
  const tags = useTags();
  const tagNames = useMemo(() => tags.map(({ tag }) => tag), [tags]);
  const selection = useSelection(designs);
  const { replace } = selection;
  const { q, tag } = search;
  // What is no longer shown must not be deleted unseen.
  useEffect(() => replace([]), [q, tag, replace]);
  const unreadable = data?.pages.reduce((sum, page) => sum + page.unreadable.length, 0) ?? 0;
  const hasFilter = Boolean(q || tag);
  return (
    <>
      <PageHeader title={texts.designs.title} lead={<OwnStorage />}>
        {mayUpload && <UploadButtons />}
      </PageHeader>
      {mayUpload && <DropTarget />}
      {(designs.length > 0 || hasFilter) && <DesignFilters search={search} tags={tags} />}
      {unreadable > 0 && <p className="error">{texts.designs.unreadable(unreadable)}</p>}
      {error && !isFetchNextPageError && <ErrorMessage error={error} onRetry={query.refetch} />}
      {isPending && <Loading />}
      {data && (
        <div className="list-toolbar">
          <p className="design-count" role="status">
            {designs.length > 0 && texts.designs.shown(designs.length, hasNextPage)}
          </p>
          <SelectionBar selection={selection} shown={designs} tags={tagNames} />
        </div>
      )}
      {data && designs.length === 0 && <NoDesigns search={search} />}
      {designs.length > 0 && (
        <DesignResults query={query} designs={designs} search={search} selection={selection} />
      )}
    </>
  );
}

type DesignResultsProps = {
  query: ReturnType<typeof useDesigns>;
  designs: readonly Design[];
  search: DesignListSearch;
  selection: Selection;
};

/** The designs, and at their end that more of them are being loaded, or why they could not be. */
function DesignResults({ query, designs, search, selection }: DesignResultsProps) {
  const { fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError } =
    query;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return (
    <div className={query.isPlaceholderData ? 'design-results outdated' : 'design-results'}>
      <DesignGrid
        designs={designs}
        search={search}
        selection={selection}
        hasMore={hasNextPage}
        loadsMore={hasNextPage && !isFetching && !isFetchNextPageError}
        onNearEnd={loadMore}
      />
      {isFetchingNextPage && <p className="loading">{texts.designs.loadingMore}</p>}
      {isFetchNextPageError && !isFetchingNextPage && (
        <ErrorMessage error={query.error} onRetry={fetchNextPage} />
      )}
    </div>
  );
}

function NoDesigns({ search: { q, tag } }: { search: DesignListSearch }) {
  const { mayUpload } = usePermissions();
  if (q || tag) {
    return (
      <EmptyState title={texts.designs.noMatch}>
        <ButtonLink to="/designs">{texts.designs.clearFilters}</ButtonLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={texts.designs.none}>
      <p>{mayUpload ? texts.designs.noneHint : texts.designs.noneReadOnly}</p>
    </EmptyState>
  );
}
