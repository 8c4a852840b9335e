import type { OptionFieldControlProps } from './option-control-props.ts';
import { OptionError } from './option-error.tsx';
import { useOptionDraft } from './use-option-draft.ts';

type Part = { label: string };

/** Three values in one option: of an orbit, or of a position. An empty one is `auto`. */
export function PartsControl({
  parts,
  ...props
}: OptionFieldControlProps & { parts: readonly Part[] }) {
  const { id } = props;
  const { text, expected, change } = useOptionDraft(props);
  const words = text.split(' ').map((word) => (word === 'auto' ? '' : word));
  const replace = (index: number, typed: string) => {
    // A space would move the other values.
    const all = parts.map((_, place) => (place === index ? typed : words[place]) ?? '');
    const complete = all.map((word) => word.replace(/\s/g, '') || 'auto');
    change(complete.every((word) => word === 'auto') ? '' : complete.join(' '));
  };
  return (
    <>
      <div className="option-parts">
        {parts.map(({ label }, index) => (
          <label key={label}>
            {label}
            <input
              value={words[index] ?? ''}
              placeholder="auto"
              autoComplete="off"
              spellCheck={false}
              aria-describedby={expected === undefined ? undefined : `${id}-error`}
              aria-invalid={expected !== undefined || undefined}
              onChange={({ target }) => replace(index, target.value)}
            />
          </label>
        ))}
      </div>
      <OptionError id={`${id}-error`} expected={expected} />
    </>
  );
}
