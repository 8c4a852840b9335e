import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { deleteDesign, downloadSource } from './bulk-actions.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import type { Selection } from './use-selection.ts';

export type BulkActionName = 'add' | 'remove' | 'download' | 'delete';
type SelectionDialogProps = ActionDialogProps & {
  action: BulkActionName;
  tags: readonly string[];
};

/** Asks before an action with the selected designs, and reports what it did. */
export function SelectionDialog({ action, selection, tags, onClose }: SelectionDialogProps) {
  if (action === 'download') return <DownloadDialog selection={selection} onClose={onClose} />;
  if (action === 'delete') return <DeleteDialog selection={selection} onClose={onClose} />;
  return <TagDialog action={action} selection={selection} tags={tags} onClose={onClose} />;
}

type ActionDialogProps = { selection: Selection; onClose: () => void };

function DownloadDialog({ selection, onClose }: ActionDialogProps) {
  const api = useApi();
  return (
    <BulkDialog
      title={texts.designs.downloadTitle}
      confirm={texts.designs.download}
      selection={selection}
      parallel={1}
      getAction={() => (design) => downloadSource(api, design)}
      onClose={onClose}
    >
      <p>{texts.designs.downloadText}</p>
    </BulkDialog>
  );
}

function DeleteDialog({ selection, onClose }: ActionDialogProps) {
  const api = useApi();
  const count = selection.selected.size;
  return (
    <BulkDialog
      title={texts.designs.deleteTitle}
      confirm={texts.designs.deleteConfirm(count)}
      isDanger
      selection={selection}
      parallel={4}
      getAction={() => (design) => deleteDesign(api, design)}
      onClose={onClose}
    >
      <p>{texts.designs.deleteText(count)}</p>
    </BulkDialog>
  );
}
