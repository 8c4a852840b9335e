import type { Session } from '@cloche/contract/session';
import type { CreatedToken } from '@cloche/contract/token';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { ApiClient } from '../api/api-client.ts';
import { texts } from '../i18n/en.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { explainSessionEnd } from './explain-session-end.ts';
import { type Permissions, toPermissions } from './permissions.ts';
import { ResumeErrorPage } from './resume-error-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { takeLinkCode } from './take-link-code.ts';
import { announceSessionChange, useSessionWatch } from './use-session-watch.ts';

type SignedIn = {
  client: ApiClient;
  signOut: () => void;
  replaceToken: (rotate: () => Promise<CreatedToken>) => Promise<CreatedToken>;
};

const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Read once: React may render the first page twice. */
const openedLinkCode = takeLinkCode();

/**
 * Shows the page if the browser is signed in, otherwise the form to sign in. When the session ends, also in another tab, all
 * that the pages have read is removed from memory and from the page.
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const [client, setClient] = useState<ApiClient>();
  // The client has it. A new one must be shown.
  const [, setSession] = useState<Session>();
  const [linkCode, setLinkCode] = useState(openedLinkCode);
  const [isResuming, setResuming] = useState(openedLinkCode === undefined);
  const [resumeError, setResumeError] = useState<unknown>();
  const [error, setError] = useState<Error>();
  const [isSignOutFailed, setSignOutFailed] = useState(false);

  const stop = useCallback(
    (reason?: Error) => {
      setClient(undefined);
      setSignOutFailed(false);
      setError(reason);
      queryClient.clear();
    },
    [queryClient],
  );
  const start = useCallback(
    (newClient: ApiClient) => {
      newClient.onSessionEnd = (reason) => stop(explainSessionEnd(reason));
      setError(undefined);
      // It works once.
      setLinkCode(undefined);
      setClient(newClient);
    },
    [stop],
  );

  const signIn = (newClient: ApiClient) => {
    start(newClient);
    announceSessionChange();
  };

  const resume = useCallback(() => {
    setResuming(true);
    setResumeError(undefined);
    ApiClient.resume()
      .then((resumed) => resumed && start(resumed))
      .catch(setResumeError)
      .finally(() => setResuming(false));
  }, [start]);
  useEffect(() => {
    if (openedLinkCode === undefined) resume();
  }, [resume]);

  useSessionWatch(client);

  if (isResuming) return <Loading />;
  if (resumeError !== undefined) return <ResumeErrorPage error={resumeError} onRetry={resume} />;
  if (client === undefined)
    return <SignInPage linkCode={linkCode} error={error} onSignIn={signIn} />;
  const signOut = async () => {
    setSignOutFailed(false);
    if (!(await client.signOut())) return setSignOutFailed(true);
    stop();
    announceSessionChange();
  };
  const replaceToken: SignedIn['replaceToken'] = async (rotate) => {
    const successor = await client.replaceToken(rotate);
    setSession(client.session);
    announceSessionChange();
    return successor;
  };
  return (
    <SessionContext value={{ client, signOut: () => void signOut(), replaceToken }}>
      {isSignOutFailed && (
        <div className="sign-out-error">
          <ErrorMessage error={new Error(texts.sessions.notSignedOut)} onRetry={signOut} />
        </div>
      )}
      {children}
    </SessionContext>
  );
}

function useSignedIn(): SignedIn {
  const signedIn = useContext(SessionContext);
  if (signedIn === undefined) throw new Error('No one is signed in.');
  return signedIn;
}

/** The client of the API, with the session of the browser. */
export function useApi(): ApiClient {
  return useSignedIn().client;
}

/** Ends the session of the browser. */
export function useSignOut(): () => void {
  return useSignedIn().signOut;
}

/** Returns a function that replaces the token of the session. The browser stays signed in, with the successor. */
export function useReplaceOwnToken(): SignedIn['replaceToken'] {
  return useSignedIn().replaceToken;
}

/** What the session may do: actions that it may not perform are not offered. */
export function usePermissions(): Permissions {
  return toPermissions(useApi().session);
}
