import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';
import { MAX_USAGE_DAYS, resolveRange, toUsageDay, type UsageRange } from './usage-range.ts';

const PERIODS = [7, 30, 90, MAX_USAGE_DAYS];
const DATES = 'dates';

type UsageRangeFieldsProps = { range: UsageRange; onChange: (range: UsageRange) => void };

/** The days whose usage is shown: the last ones, or those between two dates. */
export function UsageRangeFields({ range, onChange }: UsageRangeFieldsProps) {
  const { usage: t } = texts.tokens;
  return (
    <div className="usage-range">
      <Field label={t.days}>
        {(control) => (
          <select
            {...control}
            value={'days' in range ? range.days : DATES}
            onChange={({ target }) => {
              const { from, to } = resolveRange(range);
              onChange(target.value === DATES ? { from, to } : { days: Number(target.value) });
            }}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {t.last(period)}
              </option>
            ))}
            <option value={DATES}>{t.dates}</option>
          </select>
        )}
      </Field>
      {'from' in range && <DateFields {...range} onChange={onChange} />}
    </div>
  );
}

type DateFieldsProps = { from: string; to: string; onChange: (range: UsageRange) => void };

/** What is shown does not change while a date is not complete, or the last day is before the first. */
function DateFields({ from, to, onChange }: DateFieldsProps) {
  const { usage: t } = texts.tokens;
  const [draft, setDraft] = useState({ from, to });
  const limits = { min: toUsageDay(MAX_USAGE_DAYS - 1), max: toUsageDay(0) };
  const isAllowed = (day: string) => day >= limits.min && day <= limits.max;
  const change = (change: Partial<typeof draft>) => {
    const changed = { ...draft, ...change };
    setDraft(changed);
    if (findMistake(changed, isAllowed) === undefined) onChange(changed);
  };
  const mistake = findMistake(draft, isAllowed);
  return (
    <>
      <Field label={t.from}>
        {(control) => (
          <input
            {...control}
            {...limits}
            type="date"
            value={draft.from}
            onChange={({ target }) => change({ from: target.value })}
          />
        )}
      </Field>
      <Field label={t.to} error={mistake}>
        {(control) => (
          <input
            {...control}
            {...limits}
            type="date"
            value={draft.to}
            onChange={({ target }) => change({ to: target.value })}
          />
        )}
      </Field>
    </>
  );
}

function findMistake(
  { from, to }: { from: string; to: string },
  isAllowed: (day: string) => boolean,
): string | undefined {
  const { usage: t } = texts.tokens;
  if (from === '' || to === '') return t.incompleteDate;
  if (!isAllowed(from) || !isAllowed(to)) return t.dateNotKept(MAX_USAGE_DAYS);
  return from > to ? t.datesReversed : undefined;
}
