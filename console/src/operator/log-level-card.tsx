import type { LogLevel, LogLevelState } from '@cloche/contract/log-level';
import { useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import { useSetLogLevel } from './use-system.ts';

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** The level of the log, and the way back to the one that is configured. */
export function LogLevelCard({ logLevel: { level, configured } }: { logLevel: LogLevelState }) {
  const { logLevel: t } = operatorTexts;
  const { mayWrite } = usePermissions();
  const change = useSetLogLevel();
  // With the keyboard, a select goes through other levels before the chosen one.
  const [chosen, setChosen] = useState<LogLevel>();
  const apply = (next: LogLevel | null) =>
    change.mutate(next, { onSuccess: () => setChosen(undefined) });
  return (
    <section className="card">
      <h2>{t.title}</h2>
      {mayWrite ? (
        <Field
          label={t.label}
          hint={level === configured ? t.configured(configured) : t.temporary(configured)}
        >
          {(control) => (
            <select
              {...control}
              value={chosen ?? level}
              onChange={({ currentTarget }) => setChosen(currentTarget.value as LogLevel)}
            >
              {LEVELS.map((name) => (
                <option key={name} value={name}>
                  {t.levels[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : (
        <p>{t.levels[level]}</p>
      )}
      {mayWrite && (
        <div className="actions">
          <Button pending={change.isPending} onClick={() => apply(chosen ?? level)}>
            {t.apply}
          </Button>
          {level !== configured && (
            <Button pending={change.isPending} onClick={() => apply(null)}>
              {t.reset}
            </Button>
          )}
        </div>
      )}
      {change.error && <ErrorMessage error={change.error} />}
      <p className="hint" role="status">
        {change.data && t.changed(change.data.level)}
      </p>
    </section>
  );
}
