import type { Token } from '@cloche/contract/token';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { OriginsField, useCheckedOrigins } from '../origins/origins-field.tsx';
import { useApi } from '../session/session-provider.tsx';
import { Field } from '../ui/field.tsx';
import { formatTime } from '../ui/format.ts';
import { TokenDesigns } from './token-designs.tsx';

const MAX_NAME_LENGTH = 200;

type TokenScope = Pick<Token, 'name' | 'origins' | 'designs' | 'expiresAt'>;

/** The texts of the fields of a token, and what they stand for. No token may end after that of the session. */
export function useTokenScope(given: TokenScope) {
  const [initial] = useState(given);
  const [name, setName] = useState(initial.name);
  const [origins, setOrigins] = useState(initial.origins.join(' '));
  const [designs, setDesigns] = useState(initial.designs);
  const [expires, setExpires] = useState(toLocalInput(initial.expiresAt));
  const [isSubmitted, setSubmitted] = useState(false);
  const latestEnd = useApi().session.tokenExpiresAt;
  const checked = useCheckedOrigins(origins);
  // A field that was not changed stands for what it was filled from: its text has no milliseconds, and may be ambiguous.
  const isEndKept = expires === toLocalInput(initial.expiresAt);
  const value: TokenScope = {
    name: name.trim(),
    origins: origins === initial.origins.join(' ') ? initial.origins : checked.origins,
    designs,
    expiresAt: isEndKept ? initial.expiresAt : toUtc(expires),
  };
  const lacksDesigns = designs?.length === 0;
  const { expiresAt } = value;
  const endsTooLate =
    latestEnd !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(latestEnd));
  const isValid = checked.mistakes.length === 0 && !lacksDesigns && !endsTooLate;
  return {
    fields: { name, setName, origins, setOrigins, designs, setDesigns, expires, setExpires },
    checked,
    latestEnd,
    lacksDesigns: isSubmitted && lacksDesigns,
    endsTooLate: isSubmitted && endsTooLate,
    value,
    /** Says whether the fields can be sent, and shows why not. */
    validate: () => {
      setSubmitted(true);
      return isValid;
    },
  };
}

/** Fields for the name, origins, designs and end of a token. */
export function TokenScopeFields({ scope }: { scope: ReturnType<typeof useTokenScope> }) {
  const { fields, checked, lacksDesigns, latestEnd, endsTooLate } = scope;
  const { form } = texts.tokens;
  const latest = latestEnd && formatTime(new Date(latestEnd));
  return (
    <>
      <Field label={form.name} hint={form.nameHint}>
        {(control) => (
          <input
            {...control}
            value={fields.name}
            maxLength={MAX_NAME_LENGTH}
            autoComplete="off"
            onChange={({ target }) => fields.setName(target.value)}
          />
        )}
      </Field>
      <OriginsField
        label={form.origins}
        hint={form.originsHint}
        text={fields.origins}
        onChange={fields.setOrigins}
        checked={checked}
      />
      <TokenDesigns ids={fields.designs} isMissing={lacksDesigns} onChange={fields.setDesigns} />
      <Field
        label={form.expires}
        hint={latest ? form.expiresUntil(latest) : form.expiresHint}
        error={endsTooLate && latest && form.endsTooLate(latest)}
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            required={latestEnd !== null}
            max={toLocalInput(latestEnd) || undefined}
            value={fields.expires}
            onChange={({ target }) => fields.setExpires(target.value)}
          />
        )}
      </Field>
    </>
  );
}

const toUtc = (local: string) => (local === '' ? null : new Date(local).toISOString());

/** The time in the time zone of the browser, as an input for dates has it. */
function toLocalInput(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
