import { useState } from 'react';
import { ApiClient } from '../api/api-client.ts';
import { texts } from '../i18n/en.ts';
import { BrandName } from '../ui/brand-name.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { SignInForm } from './sign-in-form.tsx';
import './sign-in.css';

type SignInPageProps = {
  /** The code of the one-time link that was opened. */
  linkCode: string | undefined;
  /** Why the session has ended. */
  error: Error | undefined;
  onSignIn: (client: ApiClient) => void;
};

/** The form for a token, and the button for a one-time link. */
export function SignInPage({ linkCode, error, onSignIn }: SignInPageProps) {
  const [isLinkShown, setLinkShown] = useState(linkCode !== undefined);
  return (
    <main className="sign-in" id="main">
      <title>{`${texts.signIn.title} · Cloche`}</title>
      <BrandName />
      <h1>{texts.signIn.heading}</h1>
      <p className="lead">{texts.signIn.lead}</p>
      {error && !isLinkShown && <ErrorMessage error={error} />}
      {isLinkShown && linkCode !== undefined ? (
        <LinkSignIn code={linkCode} onSignIn={onSignIn} onOther={() => setLinkShown(false)} />
      ) : (
        <SignInForm onSignIn={onSignIn} />
      )}
    </main>
  );
}

type LinkSignInProps = { code: string; onSignIn: (client: ApiClient) => void; onOther: () => void };

/** A link of an attacker signs nobody in without a click. */
function LinkSignIn({ code, onSignIn, onOther }: LinkSignInProps) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const signIn = async () => {
    setPending(true);
    try {
      onSignIn(await ApiClient.signInWithLink(code));
    } catch (reason) {
      setError(reason);
      setPending(false);
    }
  };
  return (
    <div className="card">
      <p>{texts.signIn.link}</p>
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="actions">
        <Button variant="primary" autoFocus pending={isPending} onClick={() => void signIn()}>
          {texts.signIn.useLink}
        </Button>
        <Button onClick={onOther}>{texts.signIn.useToken}</Button>
      </div>
    </div>
  );
}
