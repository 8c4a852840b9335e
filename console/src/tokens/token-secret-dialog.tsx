import type { CreatedToken } from '@cloche/contract/token';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { Modal } from '../ui/modal.tsx';
import { isPublicToken } from './token-state.ts';

type TokenSecretDialogProps = { created: CreatedToken | undefined; onClose: () => void };

/** Shows the text of a new token, once. It is only in the state of the page, and gone when the dialog closes. */
export function TokenSecretDialog({ created, onClose }: TokenSecretDialogProps) {
  if (created === undefined) return null;
  const { title, once, isSecret, isPublic, label, close } = texts.tokens.secret;
  return (
    <Modal title={title} open keepOpen onClose={onClose}>
      <p>
        <strong>{once}</strong> {isPublicToken(created) ? isPublic : isSecret}
      </p>
      <CopyableCode text={created.token} label={label} />
      <div className="actions end">
        <Button variant="primary" onClick={onClose}>
          {close}
        </Button>
      </div>
    </Modal>
  );
}
