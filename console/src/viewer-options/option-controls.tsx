import type { ViewerOptionName, ViewerOptions } from '@cloche/contract/viewer-options';
import { texts } from '../i18n/en.ts';
import { OptionField } from './option-field.tsx';
import { OPTION_GROUPS, type OptionGroup } from './option-groups.ts';
import './viewer-options.css';

type OptionControlsProps = {
  /** Options without a value have their default. */
  values: ViewerOptions;
  /** Gets all options after each change to a valid value. */
  onChange: (values: ViewerOptions) => void;
  disabled?: boolean;
  /** The values that apply without an option, if they are not those of the table: the ones of the design. */
  defaults?: ViewerOptions;
  /** Values to choose from, such as the names of the variants of a model. */
  suggestions?: Partial<Record<ViewerOptionName, readonly string[]>>;
};

/** A control for each option of an embed, in groups that open and close. */
export function OptionControls(props: OptionControlsProps) {
  const groups = Object.keys(OPTION_GROUPS) as OptionGroup[];
  return (
    <fieldset className="option-controls" disabled={props.disabled}>
      <legend className="visually-hidden">{texts.options.legend}</legend>
      {groups.map((group, index) => (
        <Group key={group} group={group} open={index === 0} {...props} />
      ))}
    </fieldset>
  );
}

function Group({
  group,
  open,
  values,
  onChange,
  defaults = {},
  suggestions = {},
}: OptionControlsProps & { group: OptionGroup; open: boolean }) {
  const names: readonly ViewerOptionName[] = OPTION_GROUPS[group];
  const count = names.filter((name) => values[name] !== undefined).length;
  return (
    <details className="option-group" open={open}>
      <summary>
        {texts.options.groups[group]}
        {count > 0 && <span className="option-count">{texts.options.changed(count)}</span>}
      </summary>
      {names.map((name) => (
        <OptionField
          key={name}
          name={name}
          value={values[name]}
          inherited={defaults[name]}
          suggestions={suggestions[name]}
          onChange={(value) => onChange(replaceOption(values, name, value))}
        />
      ))}
    </details>
  );
}

function replaceOption(
  values: ViewerOptions,
  name: ViewerOptionName,
  value: boolean | number | string | undefined,
): ViewerOptions {
  const { [name]: _replaced, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
}
