import { type ViewerOptionDefinition, viewerOptions } from '@cloche/contract/viewer-options';
import { texts } from '../i18n/en.ts';
import type { OptionFieldControlProps } from './option-control-props.ts';

/** One of some words, or yes or no. The first choice is the default. */
export function ChoiceControl({
  id,
  name,
  value,
  onChange,
  'aria-describedby': hint,
}: OptionFieldControlProps) {
  const definition: ViewerOptionDefinition = viewerOptions[name];
  const isBoolean = definition.kind === 'boolean';
  const values = definition.kind === 'choice' ? definition.values : ['true', 'false'];
  const select = (text: string) => {
    if (text === '') onChange(undefined);
    else onChange(isBoolean ? text === 'true' : text);
  };
  return (
    <select
      id={id}
      aria-describedby={hint}
      value={String(value ?? '')}
      onChange={({ target }) => select(target.value)}
    >
      <option value="">{texts.options.default}</option>
      {values.map((choice) => (
        <option key={choice} value={choice}>
          {isBoolean ? texts.options[choice === 'true' ? 'yes' : 'no'] : choice}
        </option>
      ))}
    </select>
  );
}
