import { useState } from 'react';
import { embedTexts } from '../i18n/en/embed.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatTime } from '../ui/format.ts';
import type { ChosenToken } from './chosen-token.ts';

type CreateEmbedTokenProps = {
  /** The token that was created for the current pages. */
  created: ChosenToken | undefined;
  canCreate: boolean;
  designId: string;
  onCreate: (designs: string[] | null) => Promise<void>;
};

/** Creates a public token for the pages above. */
export function CreateEmbedToken({
  created,
  canCreate,
  designId,
  onCreate,
}: CreateEmbedTokenProps) {
  const { mayIssueForAll } = usePermissions();
  const [isLimited, setLimited] = useState(true);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    if (!canCreate) return setError(new Error(embedTexts.token.missingPages));
    setPending(true);
    setError(undefined);
    try {
      await onCreate(isLimited ? [designId] : null);
    } catch (reason) {
      setError(reason);
    } finally {
      setPending(false);
    }
  };
  return (
    <div>
      <fieldset>
        <legend>{embedTexts.token.scope}</legend>
        {(mayIssueForAll ? [true, false] : [true]).map((limited) => (
          <label key={String(limited)} className="check">
            <input
              type="radio"
              name="embed-token-scope"
              checked={isLimited === limited}
              onChange={() => setLimited(limited)}
            />
            {limited ? embedTexts.token.onlyThis : embedTexts.token.allDesigns}
          </label>
        ))}
      </fieldset>
      <Button
        variant={created ? 'plain' : 'primary'}
        pending={isPending}
        onClick={() => void create()}
      >
        {embedTexts.token.createButton}
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
      <div role="status">
        {created && (
          <p className="embed-created">
            {embedTexts.token.created}{' '}
            {created.expiresAt !== null &&
              embedTexts.token.createdUntil(formatTime(new Date(created.expiresAt)))}
          </p>
        )}
      </div>
    </div>
  );
}
