import type { User } from '@cloche/contract/user';
import { type FormEvent, useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Modal } from '../ui/modal.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QuotaField } from './quota-field.tsx';
import { parseQuota, toQuotaInput } from './quota-input.ts';
import { useUpdateUser } from './use-users.ts';

type QuotaDialogProps = { user: User; onClose: () => void };

/** The form for the quotas of a user. */
export function QuotaDialog({ user, onClose }: QuotaDialogProps) {
  const { users: t } = operatorTexts;
  const update = useUpdateUser(user.id);
  const showToast = useToast();
  const [megabytes, setMegabytes] = useState(() => toQuotaInput(user.maxMegabytes));
  const [designs, setDesigns] = useState(() => toQuotaInput(user.maxDesigns));
  const [isChecked, setChecked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const [maxMegabytes, maxDesigns] = [parseQuota(megabytes), parseQuota(designs)];
    if (maxMegabytes === undefined || maxDesigns === undefined || update.isPending) return;
    update.mutate(
      { maxMegabytes, maxDesigns },
      {
        onSuccess: () => {
          showToast(t.saved(user.name));
          onClose();
        },
      },
    );
  };
  return (
    <Modal title={t.quotasOf(user.name)} open onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <QuotaField
          label={t.maxMegabytes}
          unit={t.megabytes}
          value={megabytes}
          isChecked={isChecked}
          onChange={setMegabytes}
        />
        <QuotaField
          label={t.maxDesigns}
          unit={t.designsUnit}
          value={designs}
          isChecked={isChecked}
          onChange={setDesigns}
        />
        {update.error && <ErrorMessage error={update.error} />}
        <div className="actions end">
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" pending={update.isPending}>
            {t.save}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
