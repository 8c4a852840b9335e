import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

type ModalProps = {
  title: string;
  open: boolean;
  /** Only its buttons close it: it shows something that cannot be shown again. */
  keepOpen?: boolean;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog over the page. Escape and a click beside it close it; the focus returns to what opened it. */
export function Modal({ title, open, keepOpen = false, onClose, children }: ModalProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && !keepOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="modal">
          <Dialog.Title className="modal-title">
            <bdi>{title}</bdi>
          </Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
