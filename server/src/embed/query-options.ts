import { findOptionAlias, type OptionAlias, optionAliases } from '@cloche/contract/option-aliases';
import {
  normalizeOptions,
  type ParsedOption,
  parseOptionText,
} from '@cloche/contract/parse-option';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import {
  toParameterName,
  VIEWER_OPTION_NAMES,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import { findNearestMatch } from '../http/nearest-match.ts';
import { describeOptionError } from '../http/option-errors.ts';

/** The options in the URL of a framed document, and one line for each parameter that is ignored. */
export type RequestedOptions = { options: ViewerOptions; warnings: readonly string[] };

/** Anyone can write a URL: these limit the time to check it and the size of the document. */
const MAX_WARNINGS = 5;
const MAX_SHOWN_LENGTH = 60;

const OPTION_BY_PARAMETER: ReadonlyMap<string, ViewerOptionName> = new Map(
  VIEWER_OPTION_NAMES.map((name) => [toParameterName(name), name]),
);
const PARAMETERS = [...OPTION_BY_PARAMETER.keys(), ...Object.keys(optionAliases)];

/**
 * Parses the options in a query. If a parameter occurs more than once, the last one counts. Our names take
 * precedence over the aliases.
 *
 * @param query the query without the parameters that are not options
 */
export function parseQueryOptions(query: Readonly<Record<string, unknown>>): RequestedOptions {
  const warnings = new WarningList();
  const options: Record<string, unknown> = {};
  const parameters = Object.entries(query).map(([name, value]) => ({ name, text: toText(value) }));
  const aliases = parameters.flatMap(({ name, text }) => {
    const alias = findOptionAlias(name);
    return alias === undefined ? [] : [{ name, text, alias }];
  });
  // In the order of the table: `autostart` takes precedence over `preload`, whichever comes first.
  const precedence = Object.keys(optionAliases).reverse();
  aliases.sort((a, b) => precedence.indexOf(a.name) - precedence.indexOf(b.name));
  for (const { name, text, alias } of aliases) {
    const parsed = parseAlias(alias, text);
    if (parsed === undefined) warnings.add(name, text, () => 'must be a number, such as 1 or 0');
    else Object.assign(options, parsed);
  }
  for (const { name, text } of parameters) {
    const option = OPTION_BY_PARAMETER.get(name);
    if (option !== undefined) {
      const parsed: ParsedOption = parseOptionText(option, text);
      if ('value' in parsed) options[option] = parsed.value;
      else warnings.add(name, text, () => describeOptionError(option, text, parsed.expected));
    } else if (findOptionAlias(name) === undefined) {
      warnings.add(name, text, () => explainUnknown(name));
    }
  }
  return { options: normalizeOptions(options), warnings: warnings.toLines() };
}

/** Of a parameter that occurs more than once, the parser of queries makes an array. */
function toText(value: unknown): string {
  return String(Array.isArray(value) ? value.at(-1) : value);
}

function parseAlias({ toOptions }: OptionAlias, text: string): ViewerOptions | undefined {
  if (text === 'true' || text === '') return toOptions(1);
  if (text === 'false') return toOptions(0);
  return /^-?\d{0,6}(\.\d{1,6})?$/.test(text) ? toOptions(Number(text)) : undefined;
}

function explainUnknown(name: string): string {
  const nearest = findNearestMatch(name, PARAMETERS);
  return `is not an option${nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`}`;
}

/** Explains the first ignored parameters, and counts the others. */
class WarningList {
  readonly #lines: string[] = [];
  #others = 0;

  add(name: string, text: string, explain: () => string): void {
    if (this.#lines.length === MAX_WARNINGS) {
      this.#others += 1;
      return;
    }
    const shown = JSON.stringify(toSingleLine(text, MAX_SHOWN_LENGTH));
    const parameter = toSingleLine(name, MAX_SHOWN_LENGTH);
    this.#lines.push(`Ignored in the URL of the iframe: ${parameter}=${shown} ${explain()}.`);
  }

  toLines(): readonly string[] {
    if (this.#others === 0) return this.#lines;
    return [...this.#lines, `Ignored in the URL of the iframe: ${this.#others} more parameters.`];
  }
}
