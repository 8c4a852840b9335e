import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { texts } from '../i18n/en.ts';
import { Badge } from '../ui/badge.tsx';
import { Field } from '../ui/field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { type CheckedOrigins, checkOrigins } from './check-origins.ts';
import { parsePageOrigins } from './page-origins.ts';
import './origins.css';

/** Maximum number of origins of a token. */
const MAX_ORIGINS = 20;
/** Screen readers announce the result when the typing pauses, not for each character. */
const RESULT_DELAY_MS = 300;

/** Checks what people type as the addresses of their pages. The rules for domains are loaded when they are needed. */
export function useCheckedOrigins(text: string): CheckedOrigins {
  const { data: rules } = useQuery({
    queryKey: ['origins', 'domain-rules'],
    queryFn: async () => (await import('./domain-rules.ts')).browserDomainRules,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: text.trim() !== '',
  });
  return useMemo(() => {
    const origins = parsePageOrigins(text);
    const checked = rules ? checkOrigins(origins, rules) : { origins, mistakes: [], warnings: [] };
    if (origins.length <= MAX_ORIGINS) return checked;
    return { ...checked, mistakes: [texts.origins.tooMany(origins.length)] };
  }, [text, rules]);
}

type OriginsFieldProps = {
  label: string;
  hint: string;
  text: string;
  onChange: (text: string) => void;
  checked: CheckedOrigins;
};

/** The addresses of pages, the origins that they stand for, what is wrong with them, and likely mistakes. */
export function OriginsField({ label, hint, text, onChange, checked }: OriginsFieldProps) {
  const resultId = useId();
  return (
    <>
      <Field label={label} hint={hint}>
        {(control) => (
          <input
            {...control}
            aria-describedby={`${control['aria-describedby']} ${resultId}`}
            value={text}
            inputMode="url"
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={checked.mistakes.length > 0 || undefined}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      <OriginsResult id={resultId} checked={checked} />
    </>
  );
}

function OriginsResult({ id, checked }: { id: string; checked: CheckedOrigins }) {
  const { origins, mistakes, warnings } = useDebounced(checked, RESULT_DELAY_MS);
  return (
    <div role="status" id={id} className="origins-result">
      {mistakes.map((mistake) => (
        <p key={mistake}>
          <Badge tone="bad">{texts.origins.mistake}</Badge> {mistake}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning}>
          <Badge tone="warning">{texts.origins.warning}</Badge> {warning}
        </p>
      ))}
      {origins.length > 0 && (
        <p className="hint">
          {texts.origins.shownOn}{' '}
          {origins.map((origin) => (
            <code key={origin} className="origin">
              {origin}
            </code>
          ))}
        </p>
      )}
    </div>
  );
}
