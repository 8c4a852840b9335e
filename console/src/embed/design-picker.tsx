import type { Design } from '@cloche/contract/design';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useDesignSearch } from '../design-choice/use-design-search.ts';
import { embedTexts } from '../i18n/en/embed.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { Loading } from '../ui/loading.tsx';

const TONES = {
  queued: 'busy',
  processing: 'busy',
  failed: 'bad',
  cancelled: 'neutral',
} as const;

/** Finds a design by its name and opens the builder for it. */
export function DesignPicker() {
  const [text, setText] = useState('');
  const { data, error, query, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useDesignSearch(text);
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  const designs = data?.pages.flatMap(({ items }) => items) ?? [];
  if (!isPending && designs.length === 0 && query === '') return <NoDesigns />;
  return (
    <section className="card" aria-labelledby="embed-design">
      <h2 id="embed-design">{embedTexts.design.heading}</h2>
      <Field label={embedTexts.design.search}>
        {(control) => (
          <input
            {...control}
            type="search"
            maxLength={200}
            autoComplete="off"
            placeholder={embedTexts.design.searchHint}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {isPending && <Loading />}
      {!isPending && designs.length === 0 && <p role="status">{embedTexts.design.noneFound}</p>}
      <ul className="embed-designs">
        {designs.map((design) => (
          <li key={design.id}>
            <Link to="/embed" search={{ design: design.id }}>
              <DesignSummary design={design} />
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.common.showMore}
        </Button>
      )}
    </section>
  );
}

function NoDesigns() {
  const { mayUpload } = usePermissions();
  return (
    <EmptyState title={embedTexts.design.none}>
      {mayUpload && (
        <ButtonLink to="/designs" variant="primary">
          {embedTexts.design.upload}
        </ButtonLink>
      )}
    </EmptyState>
  );
}

/** The poster and the name of a design, and its state if it is not ready. */
export function DesignSummary({ design }: { design: Design }) {
  const { name, poster, status } = design;
  return (
    <span className="embed-design">
      {poster ? (
        <img src={poster.smallUrl} alt="" width="96" height="72" loading="lazy" />
      ) : (
        <span className="embed-no-poster" />
      )}
      <span className="embed-design-name">
        <bdi>{name}</bdi>
        {status !== 'ready' && (
          <Badge tone={TONES[status]}>{embedTexts.design.states[status]}</Badge>
        )}
      </span>
    </span>
  );
}
