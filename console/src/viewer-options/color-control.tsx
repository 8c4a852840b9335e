import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import type { OptionFieldControlProps } from './option-control-props.ts';
import { OptionError } from './option-error.tsx';
import { useOptionDraft } from './use-option-draft.ts';

/** A color: chosen from a palette or typed; or transparent. */
export function ColorControl(props: OptionFieldControlProps) {
  const { id, name, value, onChange, 'aria-describedby': hint } = props;
  const { text, expected, change } = useOptionDraft(props);
  const isTransparent = value === 'transparent';
  const color = typeof value === 'string' && !isTransparent ? value : '#ffffff';
  return (
    <>
      <div className="option-color">
        <input
          type="color"
          aria-label={texts.options.palette(texts.options.labels[name])}
          value={color}
          onChange={({ target }) => onChange(target.value)}
        />
        <input
          id={id}
          value={text}
          placeholder="#rrggbb"
          autoComplete="off"
          spellCheck={false}
          aria-describedby={expected === undefined ? hint : `${id}-error ${hint}`}
          aria-invalid={expected !== undefined || undefined}
          onChange={({ target }) => change(target.value)}
        />
        <Button aria-pressed={isTransparent} onClick={() => onChange('transparent')}>
          {texts.options.transparent}
        </Button>
      </div>
      <OptionError id={`${id}-error`} expected={expected} />
    </>
  );
}
