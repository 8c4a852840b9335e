import type { User } from '@cloche/contract/user';
import { operatorTexts } from '../i18n/en/operator.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';
import { Bar } from './bar.tsx';
import { UserActions } from './user-actions.tsx';

/** A user, what it stores, and what can be done. */
export function UserItem({ user }: { user: User }) {
  const { users: t } = operatorTexts;
  const { mayWrite } = usePermissions();
  const { session } = useApi();
  const { id, name, operator, active, createdAt, tokens } = user;
  return (
    <li className="card user">
      <div className="user-name">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        {operator && <Badge tone="busy">{t.operator}</Badge>}
        {!active && <Badge tone="bad">{t.disabled}</Badge>}
        {id === session.user && <Badge>{t.you}</Badge>}
      </div>
      <dl className="bars">
        <Amount
          name={t.stored}
          used={user.storedBytes}
          limit={user.limits.bytes}
          format={formatBytes}
        />
        <Amount
          name={t.designs}
          used={user.designs}
          limit={user.limits.designs}
          format={formatInteger}
        />
      </dl>
      <p className="hint">
        {t.tokens}: {formatInteger(tokens)} · {t.created} <Age time={createdAt} />
      </p>
      {mayWrite && <UserActions user={user} />}
    </li>
  );
}

type AmountProps = {
  name: string;
  used: number;
  limit: number | null;
  format: (value: number) => string;
};

function Amount({ name, used, limit, format }: AmountProps) {
  const { users: t } = operatorTexts;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {limit === null ? (
          t.noLimit(format(used))
        ) : (
          <>
            <Bar share={limit === 0 ? 1 : used / limit} tone={used >= limit ? 'bad' : 'plain'} />
            {t.of(format(used), format(limit))}
          </>
        )}
      </dd>
    </div>
  );
}
