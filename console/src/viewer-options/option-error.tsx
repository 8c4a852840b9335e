import { texts } from '../i18n/en.ts';

/** What would be a valid value. `expected` is the text of `parseOption`. */
export function OptionError({ id, expected }: { id: string; expected: string | undefined }) {
  if (expected === undefined) return null;
  return (
    <p className="error" id={id} role="alert">
      {texts.options.invalid(expected)}
    </p>
  );
}
