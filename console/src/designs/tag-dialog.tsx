import { useId, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { Field } from '../ui/field.tsx';
import { addTag, changeTags, removeTag } from './bulk-actions.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { Selection } from './use-selection.ts';

type TagDialogProps = {
  action: 'add' | 'remove';
  selection: Selection;
  tags: readonly string[];
  onClose: () => void;
};

/** Adds a tag to the selected designs, or removes one. */
export function TagDialog({ action, selection, tags, onClose }: TagDialogProps) {
  const api = useApi();
  const listId = useId();
  const [tag, setTag] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { addTagTitle, removeTagTitle } = texts.designs;
  const getAction = () => {
    const entered = tag.trim();
    setMissing(entered === '');
    if (entered === '') return undefined;
    const change = action === 'add' ? addTag(entered) : removeTag(entered);
    return (design: Parameters<typeof changeTags>[1]) => changeTags(api, design, change);
  };
  return (
    <BulkDialog
      title={action === 'add' ? addTagTitle : removeTagTitle}
      confirm={action === 'add' ? texts.designs.addTag : texts.designs.removeTag}
      selection={selection}
      parallel={4}
      getAction={getAction}
      onClose={onClose}
    >
      <Field
        label={texts.designs.tagLabel}
        error={isMissing && tag.trim() === '' && texts.designs.tagMissing}
      >
        {(control) => (
          <input
            {...control}
            list={listId}
            maxLength={60}
            autoComplete="off"
            value={tag}
            onChange={({ target }) => setTag(target.value)}
          />
        )}
      </Field>
      <datalist id={listId}>
        {tags.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </BulkDialog>
  );
}
