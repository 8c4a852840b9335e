import { useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { OperatorShell } from './operator-shell.tsx';
import { useUsers } from './use-users.ts';
import { UserItem } from './user-item.tsx';

/** The users of the service. */
export function UsersPage() {
  const { users: t } = operatorTexts;
  const { mayWrite } = usePermissions();
  const [isOpen, setOpen] = useState(false);
  return (
    <OperatorShell
      title={t.title}
      lead={t.lead}
      actions={
        mayWrite && (
          <Button variant="primary" onClick={() => setOpen(true)}>
            {t.add}
          </Button>
        )
      }
    >
      <UserList />
      <p className="hint">{t.operatorHint}</p>
      {mayWrite && <CreateUserDialog open={isOpen} onClose={() => setOpen(false)} />}
    </OperatorShell>
  );
}

function UserList() {
  const users = useUsers();
  const items = users.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section>
      <h2 className="visually-hidden">{operatorTexts.users.list}</h2>
      {users.error && <ErrorMessage error={users.error} onRetry={users.refetch} />}
      {users.isPending && <Loading />}
      <ul className="user-list">
        {items.map((user) => (
          <UserItem key={user.id} user={user} />
        ))}
      </ul>
      {users.hasNextPage && (
        <Button pending={users.isFetchingNextPage} onClick={() => void users.fetchNextPage()}>
          {texts.common.showMore}
        </Button>
      )}
    </section>
  );
}
