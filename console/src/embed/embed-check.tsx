import type { CheckEmbedRequest, CheckEmbedResponse } from '@cloche/contract/embed';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type InputHTMLAttributes, useState } from 'react';
import { embedTexts } from '../i18n/en/embed.ts';
import { useApi } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { type CheckInput, type CheckMistake, createCheckRequest } from './check-request.ts';
import type { ChosenToken } from './chosen-token.ts';

type EmbedCheckProps = {
  designId: string;
  token: ChosenToken | undefined;
  /** The first of the pages that show the design. */
  pageUrl: string;
};

/** Says whether a page would show the design with the chosen token, and why not. */
export function EmbedCheck({ designId, token, pageUrl }: EmbedCheckProps) {
  const [typed, setTyped] = useState<string>();
  const [outerPages, setOuterPages] = useState('');
  const [hidesReferrer, setHidesReferrer] = useState(false);
  const url = typed ?? pageUrl;
  const { check, mistake, data, error, isPending } = useCheck({
    ...{ designId, token, url, outerPages, hidesReferrer },
  });
  const { check: t } = embedTexts;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check();
  };
  return (
    <section className="card" aria-labelledby="embed-check">
      <h2 id="embed-check">{t.heading}</h2>
      <form noValidate onSubmit={submit}>
        <Field label={t.label} error={mistake?.field === 'url' && mistake.text}>
          {(control) => (
            <span className="input-row">
              <AddressInput {...control} value={url} onChange={setTyped} />
              <Button type="submit" pending={isPending}>
                {t.submit}
              </Button>
            </span>
          )}
        </Field>
        <details className="embed-more">
          <summary>{t.more}</summary>
          <Field
            label={t.outerPages}
            hint={t.outerPagesHint}
            error={mistake?.field === 'outerPages' && mistake.text}
          >
            {(control) => <AddressInput {...control} value={outerPages} onChange={setOuterPages} />}
          </Field>
          <label className="check">
            <input
              type="checkbox"
              checked={hidesReferrer}
              onChange={({ target }) => setHidesReferrer(target.checked)}
            />
            {t.hidesReferrer}
          </label>
        </details>
      </form>
      <div role="status">{data && <CheckResult {...data} />}</div>
      {error && <ErrorMessage error={error} />}
      <p className="hint">
        {t.wholePage} <Link to="/page-check">{t.pageCheck}</Link>
      </p>
    </section>
  );
}

/** Checks the current input. The result of another input is not returned: it would stand beside the wrong address. */
function useCheck(input: CheckInput) {
  const api = useApi();
  const [mistake, setMistake] = useState<CheckMistake>();
  const [checked, setChecked] = useState<string>();
  const { mutate, reset, isPending, data, error } = useMutation({
    mutationFn: (request: CheckEmbedRequest) =>
      api.getJson<CheckEmbedResponse>('/v1/tokens/check', request),
  });
  const current = JSON.stringify(input);
  const check = () => {
    const result = createCheckRequest(input);
    setChecked(current);
    setMistake('mistake' in result ? result.mistake : undefined);
    reset();
    if ('request' in result) mutate(result.request);
  };
  return checked === current ? { check, mistake, data, error, isPending } : { check };
}

type AddressInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
  onChange: (value: string) => void;
};

function AddressInput({ onChange, ...input }: AddressInputProps) {
  return (
    <input
      {...input}
      inputMode="url"
      autoCapitalize="off"
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function CheckResult({ allowed, detail, warnings }: CheckEmbedResponse) {
  return (
    <div className="embed-result">
      <p>
        <Badge tone={allowed ? 'good' : 'bad'}>
          {allowed ? embedTexts.check.allowed : embedTexts.check.refused}
        </Badge>{' '}
        <bdi>{detail}</bdi>
      </p>
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>
              <bdi>{warning}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
