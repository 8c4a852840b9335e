import type { Design } from '@cloche/contract/design';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { PreviewLinkButton } from './preview-link-button.tsx';

/** What can be done with a whole design. */
export function DesignActions({ design }: { design: Design }) {
  const { mayWrite } = usePermissions();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <ButtonLink to="/embed" search={{ design: design.id }} variant="primary">
        {texts.design.embed}
      </ButtonLink>
      <a className="button plain" href={`/v1/designs/${design.id}/model`} download>
        {texts.design.download}
      </a>
      {design.revision !== null && <PreviewLinkButton designId={design.id} />}
      {mayWrite && (
        <Button variant="danger" onClick={() => setDeleting(true)}>
          {texts.design.remove}
        </Button>
      )}
      <DeleteDialog
        id={design.id}
        name={design.name}
        open={isDeleting}
        onClose={() => setDeleting(false)}
      />
    </>
  );
}

/** Deletes a design that cannot be read. */
export function DeleteDamagedDesign({ id }: { id: string }) {
  const { mayWrite } = usePermissions();
  const [isDeleting, setDeleting] = useState(false);
  if (!mayWrite) return null;
  return (
    <section className="card">
      <p>{texts.design.damaged}</p>
      <Button variant="danger" onClick={() => setDeleting(true)}>
        {texts.design.remove}
      </Button>
      <DeleteDialog id={id} name={id} open={isDeleting} onClose={() => setDeleting(false)} />
    </section>
  );
}

type DeleteDialogProps = { id: string; name: string; open: boolean; onClose: () => void };

function DeleteDialog({ id, name, open, onClose }: DeleteDialogProps) {
  const api = useApi();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await api.request(`/v1/designs/${id}`, { method: 'DELETE' });
    await navigate({ to: '/designs' });
    cache.removeQueries({ queryKey: ['design', id] });
    await cache.invalidateQueries({ queryKey: ['designs'] });
  };
  return (
    <ConfirmDialog
      title={texts.design.removeTitle}
      confirm={texts.design.removeConfirm}
      open={open}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        <bdi className="design-name">{name}</bdi>
      </p>
      <p>{texts.design.removeExplanation}</p>
    </ConfirmDialog>
  );
}
