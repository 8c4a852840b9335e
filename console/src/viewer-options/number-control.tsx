import { type ViewerOptionDefinition, viewerOptions } from '@cloche/contract/viewer-options';
import { texts } from '../i18n/en.ts';
import type { OptionFieldControlProps } from './option-control-props.ts';
import { OptionError } from './option-error.tsx';
import { useOptionDraft } from './use-option-draft.ts';

/** A range of this size or smaller has a slider. */
const MAX_SLIDER_RANGE = 10;
const SLIDER_STEPS = 100;

/** A number; with a slider if its range is small. */
export function NumberControl(props: OptionFieldControlProps) {
  const { id, name, value, onChange, defaultText, 'aria-describedby': hint } = props;
  const { text, expected, change } = useOptionDraft(props);
  const definition: ViewerOptionDefinition = viewerOptions[name];
  if (definition.kind !== 'number') return null;
  const { minimum, maximum } = definition;
  const range = maximum - minimum;
  return (
    <>
      <div className="option-number">
        {range <= MAX_SLIDER_RANGE && (
          <input
            type="range"
            aria-label={texts.options.slider(texts.options.labels[name])}
            min={minimum}
            max={maximum}
            step={range / SLIDER_STEPS}
            value={Number(value ?? defaultText)}
            onChange={({ target }) => onChange(Number(target.value))}
          />
        )}
        <input
          id={id}
          value={text}
          inputMode="decimal"
          placeholder={defaultText}
          autoComplete="off"
          aria-describedby={expected === undefined ? hint : `${id}-error ${hint}`}
          aria-invalid={expected !== undefined || undefined}
          onChange={({ target }) => change(target.value)}
        />
      </div>
      <OptionError id={`${id}-error`} expected={expected} />
    </>
  );
}
