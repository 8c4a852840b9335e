import { parseOption } from '@cloche/contract/parse-option';
import { Problem } from '@cloche/contract/problem';
import {
  toParameterName,
  VIEWER_OPTION_NAMES,
  type ViewerOptionDefinition,
  type ViewerOptionName,
  viewerOptions,
} from '@cloche/contract/viewer-options';
import type { FormatParser } from './field-errors.ts';
import { findNearestMatch } from './nearest-match.ts';

/**
 * The formats of the options in `viewer-options-schema.ts`, by name. The parsers return the value in its normal form.
 */
export const OPTION_FORMATS: Readonly<Record<string, FormatParser>> = Object.fromEntries(
  VIEWER_OPTION_NAMES.map((name) => [
    toParameterName(name),
    (text: string, field: string) => {
      const parsed = parseOption(name, text);
      if ('value' in parsed) return parsed.value;
      const detail = `${field}: ${describeOptionError(name, text, parsed.expected)}.`;
      throw new Problem('request.invalid', { field, detail });
    },
  ]),
);

/** Adds the word that was probably meant, if the option has words. */
export function describeOptionError(
  name: ViewerOptionName,
  text: string,
  expected: string,
): string {
  const definition: ViewerOptionDefinition = viewerOptions[name];
  if (!('values' in definition)) return expected;
  const words = definition.kind === 'words' ? text.slice(0, 1000).split(/\s+/) : [text];
  const unknown = words.find((word) => !definition.values.includes(word)) ?? '';
  const candidates =
    definition.kind === 'words' ? ['all', 'none', ...definition.values] : definition.values;
  const nearest = findNearestMatch(unknown, candidates);
  return nearest === undefined
    ? expected
    : `${expected} (did you mean ${JSON.stringify(nearest)}?)`;
}
