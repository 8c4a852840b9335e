import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { Modal } from '../ui/modal.tsx';
import { useCreatePreviewLink } from './use-design.ts';

/** Creates a link with which anyone can see a design for some minutes, and shows it. */
export function PreviewLinkButton({ designId }: { designId: string }) {
  const { mutate, reset, data, error } = useCreatePreviewLink(designId);
  const [isOpen, setOpen] = useState(false);
  const t = texts.design.previewLink;
  const open = () => {
    reset();
    mutate();
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={open}>{t.button}</Button>
      <Modal title={t.title} open={isOpen} onClose={close}>
        {error && <ErrorMessage error={error} onRetry={() => mutate()} />}
        {data === undefined && !error && <Loading />}
        {data && (
          <>
            <p>
              {t.text}{' '}
              <time dateTime={data.expiresAt}>
                {new Date(data.expiresAt).toLocaleTimeString('en', { timeStyle: 'short' })}
              </time>
              .
            </p>
            <CopyableCode text={data.url} label={t.title} />
          </>
        )}
        <div className="actions end">
          <Button onClick={close}>{texts.common.close}</Button>
        </div>
      </Modal>
    </>
  );
}
