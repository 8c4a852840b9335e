import type { CreatedToken } from '@cloche/contract/token';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { TokenSecretDialog } from './token-secret-dialog.tsx';
import { TokenTree } from './token-tree.tsx';
import { useInvalidateTokens, useTokens } from './use-tokens.ts';
import './tokens.css';

/** The tokens of the user, as a tree: each below the one that created it. */
export function TokensPage() {
  const { data, error, isPending, refetch } = useTokens();
  const { mayWrite } = usePermissions();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedToken>();
  const invalidate = useInvalidateTokens();
  return (
    <>
      <PageHeader title={texts.tokens.title} lead={texts.tokens.lead}>
        {mayWrite && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            {texts.tokens.create}
          </Button>
        )}
      </PageHeader>
      {isPending && <Loading />}
      {error && <ErrorMessage error={error} onRetry={refetch} />}
      {data?.unreadable.map(({ id }) => (
        <p key={id} className="error">
          {texts.tokens.unreadable(id)}
        </p>
      ))}
      {data?.items.length === 0 && <EmptyState title={texts.tokens.none} />}
      {data && data.items.length > 0 && <TokenTree tokens={data.items} />}
      {isCreating && (
        <CreateTokenDialog
          onClose={() => setCreating(false)}
          onCreate={(token) => {
            setCreating(false);
            setCreated(token);
            void invalidate();
          }}
        />
      )}
      <TokenSecretDialog created={created} onClose={() => setCreated(undefined)} />
    </>
  );
}
