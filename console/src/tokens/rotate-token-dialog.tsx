import type { CreatedToken } from '@cloche/contract/token';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, useReplaceOwnToken } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { Modal } from '../ui/modal.tsx';
import { useUploadQueue } from '../uploads/upload-provider.tsx';

type RotateTokenDialogProps = {
  tokenId: string;
  /** Whether it is the token of the session. */
  isOwn: boolean;
  onClose: () => void;
  onRotate: (created: CreatedToken) => void;
};

const DEFAULT_SECONDS = 86_400;

/** Replaces a token by a successor. */
export function RotateTokenDialog({ tokenId, isOwn, onClose, onRotate }: RotateTokenDialogProps) {
  const api = useApi();
  const replaceOwnToken = useReplaceOwnToken();
  const uploads = useUploadQueue();
  const { title, text, own, grace, periods, button } = texts.tokens.rotate;
  const [seconds, setSeconds] = useState(DEFAULT_SECONDS);
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const rotate = async () => {
    setPending(true);
    setError(undefined);
    try {
      const json = { gracePeriodSeconds: seconds };
      const send = () => api.getJson<CreatedToken>(`/v1/tokens/${tokenId}/rotate`, json);
      const replaceOwn = () => uploads.holdDuring(() => replaceOwnToken(send));
      onRotate(await (isOwn ? replaceOwn() : send()));
    } catch (reason) {
      setError(reason);
      setPending(false);
    }
  };
  return (
    <Modal title={title} open onClose={onClose}>
      <p>{text}</p>
      {isOwn && <p>{own}</p>}
      <Field label={grace}>
        {(control) => (
          <select
            {...control}
            value={seconds}
            onChange={({ target }) => setSeconds(Number(target.value))}
          >
            {periods.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="actions end">
        <Button onClick={onClose}>{texts.common.cancel}</Button>
        <Button variant="primary" pending={isPending} onClick={() => void rotate()}>
          {button}
        </Button>
      </div>
    </Modal>
  );
}
