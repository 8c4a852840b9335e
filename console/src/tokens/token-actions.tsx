import type { CreatedToken, Token } from '@cloche/contract/token';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { RotateTokenDialog } from './rotate-token-dialog.tsx';
import { TokenSecretDialog } from './token-secret-dialog.tsx';
import { useInvalidateTokens } from './use-tokens.ts';

/** Replaces or revokes a token. */
export function TokenActions({ token }: { token: Token }) {
  const [open, setOpen] = useState<'rotate' | 'revoke'>();
  const [created, setCreated] = useState<CreatedToken>();
  const invalidate = useInvalidateTokens();
  const navigate = useNavigate();
  const toast = useToast();
  const isOwn = useApi().session.tokenId === token.id;
  const isExpired = token.expiresAt !== null && new Date(token.expiresAt) <= new Date();
  const close = () => setOpen(undefined);
  return (
    <>
      {token.replacedBy === null && !isExpired && (
        <Button onClick={() => setOpen('rotate')}>{texts.tokens.rotate.button}</Button>
      )}
      <Button variant="danger" onClick={() => setOpen('revoke')}>
        {texts.tokens.revoke.button}
      </Button>
      {open === 'rotate' && (
        <RotateTokenDialog
          tokenId={token.id}
          isOwn={isOwn}
          onClose={close}
          onRotate={(successor) => {
            close();
            setCreated(successor);
          }}
        />
      )}
      {open === 'revoke' && (
        <RevokeTokenDialog
          token={token}
          onClose={close}
          onRevoke={() => {
            toast(texts.tokens.revoke.done);
            void navigate({ to: '/tokens' }).then(invalidate);
          }}
        />
      )}
      <TokenSecretDialog
        created={created}
        onClose={() => {
          setCreated(undefined);
          void invalidate();
        }}
      />
    </>
  );
}
