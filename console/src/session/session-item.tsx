import type { Session } from '@cloche/contract/session';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { texts } from '../i18n/en.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatTime } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';

type SessionItemProps = {
  session: Session;
  /** Undefined: the session may not be ended. */
  onEnd: (() => void) | undefined;
};

/** One signed-in browser. */
export function SessionItem({ session, onEnd }: SessionItemProps) {
  const { userAgent, current, tokenId, createdAt, lastUsedAt, expiresAt } = session;
  return (
    <li className="card session">
      <div>
        <h2>
          <bdi>{userAgent}</bdi> {current && <Badge tone="good">{texts.sessions.current}</Badge>}
        </h2>
        <dl className="session-facts">
          <Fact name={texts.sessions.signedIn}>
            <Age time={createdAt} />
          </Fact>
          <Fact name={texts.sessions.lastUsed}>
            <Age time={lastUsedAt} />
          </Fact>
          <Fact name={texts.sessions.ends}>{formatTime(new Date(expiresAt))}</Fact>
          <Fact name={texts.sessions.token}>
            <Link to="/tokens/$tokenId" params={{ tokenId }}>
              {tokenId}
            </Link>
          </Fact>
        </dl>
      </div>
      {onEnd && (
        <Button variant="danger" aria-label={texts.sessions.endOne(userAgent)} onClick={onEnd}>
          {texts.sessions.end}
        </Button>
      )}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
