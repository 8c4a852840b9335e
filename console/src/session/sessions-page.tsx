import type { Session } from '@cloche/contract/session';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { SessionItem } from './session-item.tsx';
import { useApi, usePermissions, useSignOut } from './session-provider.tsx';
import { readOtherPages, useEndSessions, useSessions } from './use-sessions.ts';
import './sessions.css';

/** The browsers that are signed in. */
export function SessionsPage() {
  const query = useSessions();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = query;
  const { tokenId } = useApi().session;
  const { mayWrite } = usePermissions();
  const [isAsking, setAsking] = useState(false);
  const [isReading, setReading] = useState(false);
  const [endError, setEndError] = useState<unknown>();
  const signOut = useSignOut();
  const endSessions = useEndSessions();
  const toast = useToast();
  const sessions = data?.pages.flatMap(({ items }) => items) ?? [];
  // A token that can only read ends its own sessions, and no others.
  const mayEnd = (session: Session) => mayWrite || session.tokenId === tokenId;
  const others = sessions.filter((session) => !session.current && mayEnd(session));
  /** Asks when all sessions are loaded: also those that are not shown yet are ended. */
  const askToEndOthers = async () => {
    setReading(true);
    setAsking(await readOtherPages(query));
    setReading(false);
  };
  const end = async (session: Session) => {
    if (session.current) return signOut();
    setEndError(undefined);
    try {
      await endSessions([session]);
      toast(texts.sessions.endedOne);
    } catch (reason) {
      setEndError(reason);
    }
  };
  return (
    <>
      <PageHeader title={texts.sessions.title} lead={texts.sessions.lead}>
        {(others.length > 0 || hasNextPage) && (
          <Button variant="danger" pending={isReading} onClick={() => void askToEndOthers()}>
            {texts.sessions.endOthers}
          </Button>
        )}
      </PageHeader>
      {isPending && <Loading />}
      {error && <ErrorMessage error={error} onRetry={refetch} />}
      {endError !== undefined && <ErrorMessage error={endError} />}
      <ul className="sessions">
        {sessions.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            onEnd={mayEnd(session) ? () => void end(session) : undefined}
          />
        ))}
      </ul>
      {data && sessions.length === 1 && <p className="hint">{texts.sessions.noOthers}</p>}
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{texts.common.showMore}</Button>}
      <ConfirmDialog
        title={texts.sessions.endOthersTitle}
        confirm={texts.sessions.endOthers}
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await endSessions(others);
          toast(texts.sessions.endedOthers);
        }}
      >
        <p>{texts.sessions.endOthersText(others.length)}</p>
      </ConfirmDialog>
    </>
  );
}
