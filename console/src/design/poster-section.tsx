import type { Design } from '@cloche/contract/design';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { useToast } from '../ui/toasts.tsx';

/** The poster of a design. It can be rendered again. */
export function PosterSection({ design }: { design: Design }) {
  const api = useApi();
  const toast = useToast();
  const { mayWrite } = usePermissions();
  const [error, setError] = useState<unknown>();
  if (design.revision === null) return null;
  const retake = async () => {
    setError(undefined);
    try {
      await api.request(`/v1/designs/${design.id}/poster`, { method: 'POST' });
      toast(texts.design.posterQueued);
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <section className="card" aria-labelledby="poster-heading">
      <h2 id="poster-heading">{texts.design.poster}</h2>
      {design.poster ? (
        <img className="design-poster" src={design.poster.url} alt={texts.design.posterText} />
      ) : (
        <p>{texts.design.posterMissing}</p>
      )}
      <p className="hint">{texts.design.posterHint}</p>
      {error !== undefined && <ErrorMessage error={error} />}
      {mayWrite && <Button onClick={() => void retake()}>{texts.design.retake}</Button>}
    </section>
  );
}
