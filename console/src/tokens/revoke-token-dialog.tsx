import type { Token } from '@cloche/contract/token';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatInteger } from '../ui/format.ts';
import { NamedId } from '../ui/named-id.tsx';
import { RevocationImpact } from './revocation-impact.tsx';
import { useDescendants } from './use-tokens.ts';
import { useRevocationImpact } from './use-usage.ts';

type RevokeTokenDialogProps = { token: Token; onClose: () => void; onRevoke: () => void };

const MAX_SHOWN = 10;

/** Revokes a token, and says before which pages would stop showing designs. */
export function RevokeTokenDialog({ token, onClose, onRevoke }: RevokeTokenDialogProps) {
  const api = useApi();
  const descendants = useDescendants(token.id);
  const [withDescendants, setWithDescendants] = useState(false);
  const impact = useRevocationImpact(token.id, withDescendants);
  const [isLast, setLast] = useState(false);
  const [force, setForce] = useState(false);
  const { revoke } = texts.tokens;
  const confirm = async () => {
    const query = new URLSearchParams();
    if (withDescendants) query.set('descendants', 'true');
    if (force) query.set('force', 'true');
    try {
      await api.request(`/v1/tokens/${token.id}?${query}`, { method: 'DELETE' });
    } catch (error) {
      if (error instanceof ApiError && error.problem?.code === 'token.last-issuer') setLast(true);
      throw error;
    }
    onRevoke();
  };
  return (
    <ConfirmDialog
      title={revoke.title}
      confirm={revoke.button}
      open
      disabled={impact.isLoading || descendants.isLoading}
      onClose={onClose}
      onConfirm={confirm}
    >
      <NamedId id={token.id}>
        <bdi>{token.name || texts.tokens.unnamed}</bdi>
      </NamedId>
      <p>{revoke.text}</p>
      {api.session.tokenId === token.id && <p className="error">{revoke.own}</p>}
      <RevocationImpact impact={impact} />
      {descendants.error && (
        <ErrorMessage error={descendants.error} onRetry={descendants.refetch} />
      )}
      {descendants.data !== undefined && descendants.data.length > 0 && (
        <Descendants
          tokens={descendants.data}
          isIncluded={withDescendants}
          onChange={setWithDescendants}
        />
      )}
      {isLast && (
        <>
          <p>{revoke.last}</p>
          <label className="check">
            <input
              type="checkbox"
              checked={force}
              onChange={({ target }) => setForce(target.checked)}
            />
            {revoke.force}
          </label>
        </>
      )}
    </ConfirmDialog>
  );
}

type DescendantsProps = {
  tokens: readonly Token[];
  isIncluded: boolean;
  onChange: (isIncluded: boolean) => void;
};

/** Asks whether the tokens that a token has created shall be revoked too. */
function Descendants({ tokens, isIncluded, onChange }: DescendantsProps) {
  const { revoke } = texts.tokens;
  const rest = tokens.length - MAX_SHOWN;
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isIncluded}
          onChange={({ target }) => onChange(target.checked)}
        />
        {revoke.descendants(formatInteger(tokens.length))}
      </label>
      <ul className="token-descendants">
        {tokens.slice(0, MAX_SHOWN).map(({ id, name }) => (
          <li key={id}>
            <bdi>{name || texts.tokens.unnamed}</bdi>
          </li>
        ))}
        {rest > 0 && <li>{revoke.more(formatInteger(rest))}</li>}
      </ul>
    </>
  );
}
