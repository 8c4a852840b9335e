import { operatorTexts } from '../i18n/en/operator.ts';
import { Field } from '../ui/field.tsx';
import { parseQuota, type QuotaInput } from './quota-input.ts';

const KINDS = ['service', 'none', 'own'] as const;

type QuotaFieldProps = {
  label: string;
  unit: string;
  value: QuotaInput;
  /** Whether a mistake is shown. */
  isChecked: boolean;
  onChange: (value: QuotaInput) => void;
};

/** A quota: that of the service, no limit, or an amount. */
export function QuotaField({ label, unit, value, isChecked, onChange }: QuotaFieldProps) {
  const { users: t } = operatorTexts;
  const isWrong = isChecked && parseQuota(value) === undefined;
  return (
    <div className="quota">
      <Field label={label}>
        {(control) => (
          <select
            {...control}
            value={value.kind}
            onChange={({ currentTarget }) =>
              onChange({ ...value, kind: currentTarget.value as QuotaInput['kind'] })
            }
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {t.quotaKinds[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {value.kind === 'own' && (
        <Field label={unit} error={isWrong && t.amountError}>
          {(control) => (
            <input
              {...control}
              aria-label={t.amount(label, unit)}
              inputMode="numeric"
              autoComplete="off"
              value={value.amount}
              onChange={({ currentTarget }) => onChange({ ...value, amount: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}
