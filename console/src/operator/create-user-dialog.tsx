import { type FormEvent, useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { Modal } from '../ui/modal.tsx';
import { SignInLinkView } from './sign-in-link-dialog.tsx';
import { useCreateUser } from './use-users.ts';

type CreateUserDialogProps = { open: boolean; onClose: () => void };

/** Adds a user, and shows the link that signs it in. */
export function CreateUserDialog({ open, onClose }: CreateUserDialogProps) {
  const { users: t } = operatorTexts;
  const create = useCreateUser();
  const close = () => {
    create.reset();
    onClose();
  };
  const created = create.data;
  return (
    <Modal
      title={created ? t.added(created.name) : t.add}
      open={open}
      keepOpen={create.isPending || create.isSuccess}
      onClose={close}
    >
      {created ? (
        <SignInLinkView name={created.name} link={created.signInLink} onClose={close} />
      ) : (
        <CreateUserForm create={create} onClose={close} />
      )}
    </Modal>
  );
}

type CreateUserFormProps = { create: ReturnType<typeof useCreateUser>; onClose: () => void };

function CreateUserForm({ create, onClose }: CreateUserFormProps) {
  const { users: t } = operatorTexts;
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate({ name: name.trim() });
  };
  return (
    <form noValidate onSubmit={submit}>
      <Field label={t.name} hint={t.nameHint}>
        {(control) => (
          <input
            {...control}
            value={name}
            maxLength={100}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      {create.error && <ErrorMessage error={create.error} />}
      <div className="actions end">
        <Button onClick={onClose}>{texts.common.cancel}</Button>
        <Button type="submit" variant="primary" pending={create.isPending}>
          {t.create}
        </Button>
      </div>
    </form>
  );
}
