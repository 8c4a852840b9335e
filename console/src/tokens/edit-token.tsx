import { type FormEvent, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { listTokenChanges } from './list-token-changes.ts';
import { TokenScopeFields, useTokenScope } from './token-scope-fields.tsx';
import { useUpdateToken, type VersionedToken } from './use-token.ts';

type EditTokenProps = VersionedToken & {
  /** Shows a message above the form, which then has the current values. */
  onDone: (message: string) => void;
};

/** Changes the limits of a token. */
export function EditToken({ token, etag, onDone }: EditTokenProps) {
  const scope = useTokenScope(token);
  // What the fields were filled from, also if the token is read again in the meantime.
  const [base] = useState({ token, etag });
  const update = useUpdateToken();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!scope.validate()) return;
    const changes = listTokenChanges(base.token, scope.value);
    if (Object.keys(changes).length === 0) return onDone(texts.tokens.edit.unchanged);
    setPending(true);
    setError(undefined);
    try {
      const isChanged = await update(token.id, base.etag, changes);
      onDone(isChanged ? texts.tokens.edit.saved : texts.tokens.edit.conflict);
    } catch (reason) {
      setError(reason);
    } finally {
      setPending(false);
    }
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <p className="hint">{texts.tokens.edit.hint}</p>
      <TokenScopeFields scope={scope} />
      {error !== undefined && <ErrorMessage error={error} />}
      <Button type="submit" variant="primary" pending={isPending}>
        {texts.tokens.form.save}
      </Button>
    </form>
  );
}
