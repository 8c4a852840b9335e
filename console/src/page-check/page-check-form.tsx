import { type FormEvent, useRef, useState } from 'react';
import { pageCheckTexts } from '../i18n/en/page-check.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { completeUrl } from './complete-url.ts';

type PageCheckFormProps = {
  /** The URL that was checked last. */
  url: string;
  isPending: boolean;
  onSubmit: (url: string) => void;
};

/** The URL of the page to check. */
export function PageCheckForm({ url, isPending, onSubmit }: PageCheckFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const entered = completeUrl(field.current?.value ?? '');
    setMissing(entered === '');
    if (entered === '') field.current?.focus();
    else if (!isPending) onSubmit(entered);
  };
  return (
    <form className="card page-check-form" noValidate onSubmit={submit}>
      <Field
        label={pageCheckTexts.url}
        hint={pageCheckTexts.urlHint}
        error={isMissing && pageCheckTexts.urlMissing}
      >
        {(control) => (
          <div className="input-row">
            <input
              {...control}
              ref={field}
              type="text"
              inputMode="url"
              autoComplete="url"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={2000}
              defaultValue={url}
            />
            <Button type="submit" variant="primary" pending={isPending}>
              {pageCheckTexts.check}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
