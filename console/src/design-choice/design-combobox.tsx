import { Combobox } from '@base-ui/react/combobox';
import type { Design } from '@cloche/contract/design';
import { type RefObject, useId, useRef, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { listErrorTexts } from '../ui/list-error-texts.ts';
import { useDesignSearch, useNamedDesign } from './use-design-search.ts';
import './design-choice.css';

type DesignComboboxProps = {
  label: string;
  hint: string;
  /** What is wrong with the choice. */
  error: string | undefined;
  /** The ids of the chosen designs. */
  ids: string[];
  onChange: (ids: string[]) => void;
};

/** Chooses designs by their names. */
export function DesignCombobox({ label, hint, error, ids, onChange }: DesignComboboxProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const search = useDesignSearch(text);
  const found = new Map(
    search.data?.pages.flatMap(({ items }) => items).map((design) => [design.id, design]),
  );
  return (
    <Combobox.Root
      multiple
      filter={null}
      autoHighlight
      items={[...found.keys()]}
      itemToStringLabel={(value: string) => found.get(value)?.name ?? value}
      value={ids}
      onValueChange={(value: string[], details) => {
        if (details.reason !== 'escape-key') return onChange(value);
        // Escape closes the popup, then the dialog around it. It does not remove the designs.
        details.cancel();
        details.allowPropagation();
      }}
      inputValue={text}
      onInputValueChange={setText}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <div className="field" ref={field}>
        <label htmlFor={id}>{label}</label>
        <Combobox.InputGroup>
          <Combobox.Chips className="design-chips" aria-label={texts.designChoice.chosen}>
            {ids.map((value) => (
              <DesignChip key={value} id={value} />
            ))}
            <Combobox.Input
              id={id}
              // It is null when another window gets the focus.
              onBlur={({ relatedTarget }) => relatedTarget && setOpen(false)}
              aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
              aria-invalid={error !== undefined || undefined}
              maxLength={200}
              spellCheck={false}
              placeholder={ids.length === 0 ? texts.designChoice.placeholder : ''}
            />
          </Combobox.Chips>
        </Combobox.InputGroup>
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
        {error !== undefined && (
          <p className="error" id={`${id}-error`} role="alert">
            {error}
          </p>
        )}
      </div>
      {isOpen && <Popup found={found} field={field} {...search} />}
    </Combobox.Root>
  );
}

type PopupProps = SearchState & { field: RefObject<HTMLElement | null> };

type SearchState = {
  found: ReadonlyMap<string, Design>;
  error: Error | null;
  isPending: boolean;
  hasNextPage: boolean;
};

/** Without Combobox.Popup, which hides the rest of the page from screen readers while it is open, also what can be focused. */
function Popup({ found, field, error, isPending, hasNextPage }: PopupProps) {
  return (
    <Combobox.Portal container={field}>
      <Combobox.Positioner
        className="design-popup-positioner"
        // Over the edge of a dialog.
        positionMethod="fixed"
        sideOffset={4}
        // The focus stays in the field.
        onMouseDown={(event) => event.preventDefault()}
      >
        <div className="design-popup" aria-busy={isPending || undefined}>
          <Combobox.Status className="design-popup-status">
            {describeSearch({ found, error, isPending, hasNextPage })}
          </Combobox.Status>
          <Combobox.List>
            {(value: string) => (
              <Combobox.Item key={value} value={value} className="design-option">
                <Combobox.ItemIndicator className="design-option-mark">✓</Combobox.ItemIndicator>
                <bdi>{found.get(value)?.name ?? value}</bdi>
              </Combobox.Item>
            )}
          </Combobox.List>
        </div>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

function describeSearch({ found, error, isPending, hasNextPage }: SearchState): string | null {
  if (error) return listErrorTexts(error).join(' ');
  if (isPending) return texts.common.loading;
  if (found.size === 0) return texts.designChoice.noneFound;
  return hasNextPage ? texts.designChoice.more(found.size) : null;
}

function DesignChip({ id }: { id: string }) {
  const { data } = useNamedDesign(id);
  const name = data?.name ?? id;
  return (
    <Combobox.Chip className="design-chip" aria-label={name}>
      <bdi>{name}</bdi>
      <Combobox.ChipRemove aria-label={texts.designChoice.remove(name)}>
        <span aria-hidden="true">×</span>
      </Combobox.ChipRemove>
    </Combobox.Chip>
  );
}
