import { type ViewerOptionDefinition, viewerOptions } from '@cloche/contract/viewer-options';
import { useId } from 'react';
import { texts } from '../i18n/en.ts';
import { isolateText } from '../ui/isolate-text.ts';
import { ChoiceControl } from './choice-control.tsx';
import { ColorControl } from './color-control.tsx';
import { NumberControl } from './number-control.tsx';
import type {
  OptionControlProps,
  OptionFieldControlProps,
  OptionValue,
} from './option-control-props.ts';
import { PartsControl } from './parts-control.tsx';
import { TextControl } from './text-control.tsx';
import { WordsControl } from './words-control.tsx';

type OptionFieldProps = OptionControlProps & {
  /** The value that applies without one, if it is not that of the table. */
  inherited: OptionValue | undefined;
  suggestions: readonly string[] | undefined;
};

/** One option: its name, its control, what it does, and a button that restores the default. */
export function OptionField({ inherited, suggestions, ...option }: OptionFieldProps) {
  const id = useId();
  const { name, value, onChange } = option;
  const definition: ViewerOptionDefinition = viewerOptions[name];
  const label = texts.options.labels[name];
  const defaultText = describeValue(inherited ?? definition.default);
  const control = { id, 'aria-describedby': `${id}-hint`, defaultText, suggestions, ...option };
  // Controls with several inputs have a group with a name in place of a label.
  const isGroup = ['orbit', 'position', 'words'].includes(definition.kind);
  return (
    <div
      className="option"
      {...(isGroup && {
        role: 'group',
        'aria-labelledby': `${id}-label`,
        'aria-describedby': `${id}-hint`,
      })}
    >
      <div className="option-heading">
        {isGroup ? (
          <span className="option-label" id={`${id}-label`}>
            {label}
          </span>
        ) : (
          <label htmlFor={id}>{label}</label>
        )}
        {value !== undefined && (
          <button
            type="button"
            className="option-reset"
            aria-label={texts.options.resetOption(label)}
            onClick={() => onChange(undefined)}
          >
            {texts.options.reset}
          </button>
        )}
      </div>
      <Control kind={definition.kind} control={control} />
      <p className="hint" id={`${id}-hint`}>
        <Description text={definition.description} />{' '}
        {texts.options.defaultValue(isolateText(defaultText))}
      </p>
    </div>
  );
}

function Control({
  kind,
  control,
}: {
  kind: ViewerOptionDefinition['kind'];
  control: OptionFieldControlProps;
}) {
  switch (kind) {
    case 'boolean':
    case 'choice':
      return <ChoiceControl {...control} />;
    case 'number':
      return <NumberControl {...control} />;
    case 'color':
      return <ColorControl {...control} />;
    case 'words':
      return <WordsControl {...control} />;
    case 'orbit':
      return <PartsControl {...control} parts={texts.options.orbitParts} />;
    case 'position':
      return <PartsControl {...control} parts={texts.options.positionParts} />;
    default:
      return <TextControl {...control} />;
  }
}

/** A description of the table, with its code in backticks. */
function Description({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // The parts do not change.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}

function describeValue(value: OptionValue): string {
  if (/^auto( auto)*$/.test(String(value))) return texts.options.automatic;
  if (typeof value !== 'boolean') return String(value);
  return value ? texts.options.yes : texts.options.no;
}
