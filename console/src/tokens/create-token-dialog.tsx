import type { Capability, CreatedToken } from '@cloche/contract/token';
import { type FormEvent, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { Modal } from '../ui/modal.tsx';
import { TokenScopeFields, useTokenScope } from './token-scope-fields.tsx';

type CreateTokenDialogProps = { onClose: () => void; onCreate: (created: CreatedToken) => void };

/** Creates a token within the scope of the session. It begins with the limits of the session. */
export function CreateTokenDialog({ onClose, onCreate }: CreateTokenDialogProps) {
  const api = useApi();
  const { isOperator } = usePermissions();
  const [capabilities, setCapabilities] = useState<Capability[]>([]);
  const [user, setUser] = useState('');
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const { origins, designs, tokenExpiresAt: expiresAt } = api.session;
  const scope = useTokenScope({ name: '', origins, designs, expiresAt });
  const { form } = texts.tokens;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (capabilities.length === 0) return setError(new Error(form.noCapability));
    if (!scope.validate()) return;
    setPending(true);
    setError(undefined);
    const { name, ...limits } = scope.value;
    const request = { capabilities, ...limits, ...(name && { name }), ...(user && { user }) };
    try {
      onCreate(await api.getJson<CreatedToken>('/v1/tokens', request));
    } catch (reason) {
      setError(reason);
      setPending(false);
    }
  };
  return (
    <Modal title={texts.tokens.create} open onClose={onClose}>
      <form noValidate className="token-form" onSubmit={(event) => void submit(event)}>
        <fieldset>
          <legend>{form.capabilities}</legend>
          {api.session.capabilities.map((capability) => (
            <label key={capability} className="check">
              <input
                type="checkbox"
                checked={capabilities.includes(capability)}
                onChange={({ target }) =>
                  setCapabilities(
                    target.checked
                      ? [...capabilities, capability]
                      : capabilities.filter((other) => other !== capability),
                  )
                }
              />
              {form.capability[capability]}
            </label>
          ))}
        </fieldset>
        <TokenScopeFields scope={scope} />
        {isOperator && (
          <Field label={form.user} hint={form.userHint}>
            {(control) => (
              <input {...control} value={user} onChange={({ target }) => setUser(target.value)} />
            )}
          </Field>
        )}
        {error !== undefined && <ErrorMessage error={error} />}
        <div className="actions end">
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" variant="primary" pending={isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
