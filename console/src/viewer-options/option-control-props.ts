import type { ViewerOptionName } from '@cloche/contract/viewer-options';

export type OptionValue = boolean | number | string;

/** An option and its value. */
export type OptionControlProps = {
  name: ViewerOptionName;
  /** The option has no value if it is undefined. */
  value: OptionValue | undefined;
  onChange: (value: OptionValue | undefined) => void;
};

/** What the control in an `OptionField` needs in addition. */
export type OptionFieldControlProps = OptionControlProps & {
  id: string;
  'aria-describedby': string;
  /** What applies without a value, in words. */
  defaultText: string;
  suggestions: readonly string[] | undefined;
};
