import { parseOptionText } from '@cloche/contract/parse-option';
import { viewerOptions } from '@cloche/contract/viewer-options';
import { useState } from 'react';
import type { OptionControlProps, OptionValue } from './option-control-props.ts';

type Draft = { text: string; value: OptionValue | undefined; expected?: string };

/** The units of numbers that are typed without one. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  orbit: ['deg', 'deg', '%'],
  angle: ['deg'],
  speed: ['deg'],
};

/**
 * The text that is typed for an option. `onChange` gets valid values only; `expected` says what would be valid. When the
 * value is changed elsewhere, the text is that of the new value.
 */
export function useOptionDraft({ name, value, onChange }: OptionControlProps) {
  const [draft, setDraft] = useState<Draft>();
  const isCurrent = draft !== undefined && draft.value === value;
  const change = (text: string) => {
    if (text.trim() === '') {
      setDraft({ text, value: undefined });
      onChange(undefined);
      return;
    }
    const parsed = parseOptionText(name, addUnits(text, UNITS[viewerOptions[name].kind] ?? []));
    if ('expected' in parsed) {
      setDraft({ text, value, expected: parsed.expected });
      return;
    }
    setDraft({ text, value: parsed.value });
    onChange(parsed.value);
  };
  return {
    text: isCurrent ? draft.text : String(value ?? ''),
    expected: isCurrent ? draft.expected : undefined,
    change,
  };
}

function addUnits(text: string, units: readonly string[]): string {
  if (units.length === 0) return text;
  return text
    .trim()
    .split(/\s+/)
    .map((word, index) => (/^[+-]?[\d.]+$/.test(word) ? word + (units[index] ?? '') : word))
    .join(' ');
}
