import { type FormEvent, useRef, useState } from 'react';
import { ApiClient } from '../api/api-client.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { findTokenMistake } from './find-token-mistake.ts';

/** Exchanges a token for a session. The page forgets the token at once: the browser keeps only a cookie. */
export function SignInForm({ onSignIn }: { onSignIn: (client: ApiClient) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    const fail = (reason: unknown) => {
      setError(reason);
      field.current?.focus();
    };
    const mistake = findTokenMistake(token);
    if (mistake !== undefined) return fail(new Error(mistake));
    setPending(true);
    try {
      const client = await ApiClient.signIn(token);
      if (field.current) field.current.value = '';
      onSignIn(client);
    } catch (reason) {
      setPending(false);
      fail(reason);
    }
  };

  return (
    <form className="card" noValidate onSubmit={(event) => void submit(event)}>
      <label htmlFor="token">{texts.signIn.token}</label>
      <div className="input-row">
        <input
          ref={field}
          id="token"
          type="password"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="cloche_sk_…"
          // The only field of the page.
          // biome-ignore lint/a11y/noAutofocus: the page has nothing else to read first
          autoFocus
          aria-invalid={error !== undefined}
          aria-describedby="token-hint token-error"
        />
        <Button type="submit" variant="primary" pending={isPending}>
          {texts.signIn.submit}
        </Button>
      </div>
      <div id="token-error">{error !== undefined && <ErrorMessage error={error} />}</div>
      <p className="hint" id="token-hint">
        {texts.signIn.tokenHint}
      </p>
    </form>
  );
}
