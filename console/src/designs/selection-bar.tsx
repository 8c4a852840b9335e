import { lazy, Suspense, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import type { BulkActionName } from './selection-dialog.tsx';
import type { SelectedDesign, Selection } from './use-selection.ts';

/** Dialogs are a script of their own, which is loaded with the first one. */
const SelectionDialog = lazy(async () => ({
  default: (await import('./selection-dialog.tsx')).SelectionDialog,
}));

type SelectionBarProps = {
  selection: Selection;
  shown: readonly SelectedDesign[];
  tags: readonly string[];
};

/** What can be done with the selected designs. */
export function SelectionBar({ selection, shown, tags }: SelectionBarProps) {
  const { mayWrite } = usePermissions();
  const [action, setAction] = useState<BulkActionName>();
  const count = selection.selected.size;
  const close = () => setAction(undefined);
  const { addTag, removeTag, download, delete: remove } = texts.designs;
  if (shown.length === 0) return null;
  return (
    <>
      <section className="selection-bar" aria-label={texts.designs.selection}>
        <span role="status" className="selection-count">
          {count > 0 && texts.designs.selected(count)}
        </span>
        <Button onClick={() => selection.replace(shown)}>
          {texts.designs.selectShown(shown.length)}
        </Button>
        {count > 0 && (
          <>
            <Button onClick={() => selection.replace([])}>{texts.designs.clearSelection}</Button>
            {mayWrite && <Button onClick={() => setAction('add')}>{addTag}</Button>}
            {mayWrite && <Button onClick={() => setAction('remove')}>{removeTag}</Button>}
            <Button onClick={() => setAction('download')}>{download}</Button>
            {mayWrite && (
              <Button variant="danger" onClick={() => setAction('delete')}>
                {remove}
              </Button>
            )}
          </>
        )}
      </section>
      {action !== undefined && (
        <Suspense>
          <SelectionDialog action={action} selection={selection} tags={tags} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
