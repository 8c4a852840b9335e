import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { texts } from '../i18n/en.ts';

/** Shows short messages over the page, for a few seconds. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" aria-label={texts.common.message}>
      <Toast.Content>
        <Toast.Description />
        <Toast.Close className="toast-close" aria-label={texts.common.close}>
          ×
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Returns a function that shows a message, which screen readers announce. */
export function useToast(): (text: string) => void {
  const manager = Toast.useToastManager();
  return (text) => void manager.add({ description: text });
}
