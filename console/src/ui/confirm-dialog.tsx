import { type ReactNode, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from './button.tsx';
import { ErrorMessage } from './error-message.tsx';
import { Modal } from './modal.tsx';

type ConfirmDialogProps = {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** The text of the button that does it. */
  confirm: string;
  open: boolean;
  /** What will happen is not known yet. */
  disabled?: boolean;
  onClose: () => void;
  /** Does it. The dialog closes when the promise resolves, and shows the error otherwise. */
  onConfirm: () => Promise<unknown>;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  open,
  disabled = false,
  onClose,
  onConfirm,
}: ConfirmDialogProps) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setError(undefined);
    onClose();
  };
  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (reason) {
      setError(reason);
    } finally {
      setPending(false);
    }
  };
  return (
    <Modal title={title} open={open} onClose={close}>
      {children}
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="actions end">
        <Button onClick={close}>{texts.common.cancel}</Button>
        <Button variant="danger" pending={isPending || disabled} onClick={() => void run()}>
          {confirm}
        </Button>
      </div>
    </Modal>
  );
}
