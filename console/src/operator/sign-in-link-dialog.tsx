import type { SignInLink, User } from '@cloche/contract/user';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Modal } from '../ui/modal.tsx';
import { useCreateSignInLink } from './use-users.ts';

type SignInLinkDialogProps = { user: User; onClose: () => void };

/** Creates a link that signs in a user, and shows it once. */
export function SignInLinkDialog({ user: { id, name }, onClose }: SignInLinkDialogProps) {
  const { users: t } = operatorTexts;
  const create = useCreateSignInLink(id);
  const close = () => {
    create.reset();
    onClose();
  };
  return (
    <Modal
      title={t.linkOf(name)}
      open
      keepOpen={create.isPending || create.isSuccess}
      onClose={close}
    >
      {create.data ? (
        <SignInLinkView name={name} link={create.data} onClose={close} />
      ) : (
        <>
          <p>{t.linkText(name)}</p>
          {create.error && <ErrorMessage error={create.error} />}
          <div className="actions end">
            <Button onClick={close}>{texts.common.cancel}</Button>
            <Button variant="primary" pending={create.isPending} onClick={() => create.mutate()}>
              {t.createLink}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}

type SignInLinkViewProps = { name: string; link: SignInLink; onClose: () => void };

/** A link to sign in, which is in no other place. */
export function SignInLinkView({ name, link, onClose }: SignInLinkViewProps) {
  const { users: t } = operatorTexts;
  const expiresAt = new Date(link.expiresAt);
  return (
    <>
      <p role="status">{t.linkOnce(name)}</p>
      <CopyableCode text={link.url} label={t.linkLabel} />
      <p className="hint">
        {t.linkExpires}{' '}
        <time dateTime={link.expiresAt}>
          {expiresAt.toLocaleTimeString('en', { timeStyle: 'short' })}
        </time>
        .
      </p>
      <div className="actions end">
        <Button variant="primary" autoFocus onClick={onClose}>
          {t.done}
        </Button>
      </div>
    </>
  );
}
