import { viewerOptions } from '@cloche/contract/viewer-options';
import type { OptionFieldControlProps } from './option-control-props.ts';
import { OptionError } from './option-error.tsx';
import { useOptionDraft } from './use-option-draft.ts';

/** A text, an angle or a speed. */
export function TextControl(props: OptionFieldControlProps) {
  const { id, name, suggestions, 'aria-describedby': hint } = props;
  const { text, expected, change } = useOptionDraft(props);
  const hasSuggestions = suggestions !== undefined && suggestions.length > 0;
  return (
    <>
      <input
        id={id}
        value={text}
        placeholder={String(viewerOptions[name].example)}
        autoComplete="off"
        spellCheck={false}
        list={hasSuggestions ? `${id}-list` : undefined}
        aria-describedby={expected === undefined ? hint : `${id}-error ${hint}`}
        aria-invalid={expected !== undefined || undefined}
        onChange={({ target }) => change(target.value)}
      />
      {hasSuggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      <OptionError id={`${id}-error`} expected={expected} />
    </>
  );
}
