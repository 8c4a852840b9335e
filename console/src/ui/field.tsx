import { type ReactNode, useId } from 'react';

/** What an input needs to belong to its label, hint and error. */
type FieldControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: ReactNode;
  /** Renders the input. */
  children: (control: FieldControlProps) => ReactNode;
};

/** A label, an input, a hint, and what is wrong with the value. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const parts = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': parts.length > 0 ? parts.join(' ') : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
