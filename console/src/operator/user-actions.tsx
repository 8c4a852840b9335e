import type { User } from '@cloche/contract/user';
import { useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import { SignInLinkDialog } from './sign-in-link-dialog.tsx';
import { useUpdateUser } from './use-users.ts';

/** The buttons of a user. The user itself stays in the list, so each dialog returns the focus to its button. */
export function UserActions({ user }: { user: User }) {
  const { users: t } = operatorTexts;
  const [open, setOpen] = useState<'link' | 'quotas' | 'deactivate'>();
  const close = () => setOpen(undefined);
  const { name, active, operator } = user;
  return (
    <div className="actions">
      {active && (
        <Button aria-label={t.linkOf(name)} onClick={() => setOpen('link')}>
          {t.link}
        </Button>
      )}
      <Button aria-label={t.quotasOf(name)} onClick={() => setOpen('quotas')}>
        {t.quotas}
      </Button>
      {active && !operator && (
        <Button
          variant="danger"
          aria-label={t.deactivateOf(name)}
          onClick={() => setOpen('deactivate')}
        >
          {t.deactivate}
        </Button>
      )}
      {!active && !operator && <ActivateButton user={user} />}
      {open === 'link' && <SignInLinkDialog user={user} onClose={close} />}
      {open === 'quotas' && <QuotaDialog user={user} onClose={close} />}
      <DeactivateDialog user={user} open={open === 'deactivate'} onClose={close} />
    </div>
  );
}

function ActivateButton({ user: { id, name } }: { user: User }) {
  const { users: t } = operatorTexts;
  const update = useUpdateUser(id);
  const showToast = useToast();
  const activate = () =>
    update.mutate({ active: true }, { onSuccess: () => showToast(t.activated(name)) });
  return (
    <>
      <Button pending={update.isPending} aria-label={t.activateOf(name)} onClick={activate}>
        {t.activate}
      </Button>
      {update.error && <ErrorMessage error={update.error} />}
    </>
  );
}

type DeactivateDialogProps = { user: User; open: boolean; onClose: () => void };

function DeactivateDialog({ user: { id, name }, open, onClose }: DeactivateDialogProps) {
  const { users: t } = operatorTexts;
  const update = useUpdateUser(id);
  const showToast = useToast();
  const deactivate = async () => {
    await update.mutateAsync({ active: false });
    showToast(t.deactivated(name));
  };
  return (
    <ConfirmDialog
      title={t.deactivateTitle(name)}
      confirm={t.deactivate}
      open={open}
      onClose={onClose}
      onConfirm={deactivate}
    >
      <p>{t.deactivateText(name)}</p>
    </ConfirmDialog>
  );
}
