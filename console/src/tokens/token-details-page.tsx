import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatTime } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { EditToken } from './edit-token.tsx';
import { TokenActions } from './token-actions.tsx';
import { TokenFacts } from './token-facts.tsx';
import { TokenBadges } from './token-item.tsx';
import { TokenUsage } from './token-usage.tsx';
import { useToken, type VersionedToken } from './use-token.ts';
import './tokens.css';

const route = getRouteApi('/tokens/$tokenId');

/** One token: its limits, its usage, and what can be done with it. */
export function TokenDetailsPage() {
  const { tokenId } = route.useParams();
  const { data, error, refetch } = useToken(tokenId);
  if (data === undefined)
    return (
      <>
        <PageHeader title={texts.tokens.title} />
        {error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading />}
      </>
    );
  return <TokenDetails key={tokenId} {...data} />;
}

function TokenDetails({ token, etag }: VersionedToken) {
  const { mayWrite } = usePermissions();
  const [edit, setEdit] = useState<{ count: number; message?: string }>({ count: 0 });
  return (
    <>
      <PageHeader title={token.name || texts.tokens.unnamed}>
        {mayWrite && <TokenActions token={token} />}
      </PageHeader>
      <div className="token-details">
        <section className="card" aria-label={texts.tokens.title}>
          <TokenBadges token={token} />
          {token.seenInBrowserAt !== null && (
            <p className="error">
              {texts.tokens.seenInBrowser(formatTime(new Date(token.seenInBrowserAt)))}
            </p>
          )}
          <TokenFacts token={token} />
        </section>
        <TokenUsage tokenId={token.id} />
        {mayWrite && (
          <section className="card" aria-labelledby="token-edit">
            <h2 id="token-edit">{texts.tokens.edit.heading}</h2>
            <div role="status">{edit.message !== undefined && <p>{edit.message}</p>}</div>
            <EditToken
              key={edit.count}
              token={token}
              etag={etag}
              onDone={(message) => setEdit({ count: edit.count + 1, message })}
            />
          </section>
        )}
      </div>
    </>
  );
}
