import { type KeyboardEvent, useRef } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { type DesignFormValues, withNewTag } from './form-values.ts';

type TagInputProps = {
  values: Pick<DesignFormValues, 'tags' | 'newTag'>;
  onChange: (changes: Partial<DesignFormValues>) => void;
  disabled: boolean;
  error: string | undefined;
};

/** Tags, each with a button that removes it, and an input that adds one. Any text can be a tag. */
export function TagInput({ values, onChange, disabled, error }: TagInputProps) {
  const { tags, newTag } = values;
  const input = useRef<HTMLInputElement>(null);
  const add = () => {
    onChange({ tags: withNewTag(values), newTag: '' });
    input.current?.focus();
  };
  const remove = (tag: string) => {
    onChange({ tags: tags.filter((other) => other !== tag) });
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends the composition of a character.
    if (event.nativeEvent.isComposing || event.key !== 'Enter' || newTag === '') return;
    event.preventDefault();
    add();
  };
  return (
    <Field label={texts.design.fields.tags} hint={texts.design.fieldHints.tags} error={error}>
      {(control) => (
        <>
          <ul className="design-tags" aria-label={texts.design.fields.tags}>
            {tags.map((tag) => (
              <TagChip key={tag} tag={tag} onRemove={disabled ? undefined : remove} />
            ))}
          </ul>
          <div className="design-tag-entry">
            <input
              {...control}
              ref={input}
              value={newTag}
              disabled={disabled}
              dir="auto"
              autoComplete="off"
              onChange={({ target }) => onChange({ newTag: target.value })}
              onKeyDown={onKeyDown}
            />
            {!disabled && (
              <Button disabled={newTag.trim() === ''} onClick={add}>
                {texts.design.addTag}
              </Button>
            )}
          </div>
        </>
      )}
    </Field>
  );
}

function TagChip({
  tag,
  onRemove,
}: {
  tag: string;
  onRemove: ((tag: string) => void) | undefined;
}) {
  return (
    <li>
      <bdi>{tag}</bdi>
      {onRemove && (
        <button
          type="button"
          aria-label={texts.design.removeTag(tag)}
          onClick={() => onRemove(tag)}
        >
          <span aria-hidden="true">×</span>
        </button>
      )}
    </li>
  );
}
