/**
 * Checks the values of options: those of JSON, and those of URLs and HTML attributes, which are texts. Has no
 * dependencies: server and viewer import it.
 */
import { parseAngle, parseColor, parseOrbit, parsePosition, parseSpeed } from './option-values.ts';
import {
  VIEWER_OPTION_NAMES,
  type ViewerOptionDefinition,
  type ViewerOptionName,
  type ViewerOptions,
  viewerOptions,
} from './viewer-options.ts';

/** A valid value in its normal form, or what would be valid: `must be true or false`. */
export type ParsedOption<Name extends ViewerOptionName = ViewerOptionName> =
  | { value: NonNullable<ViewerOptions[Name]> }
  | { expected: string };

type Value = boolean | number | string;

/** Control characters, line separators, and characters that change the direction of the text. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const NUMBER = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

/**
 * Checks a value from JSON. Numbers and booleans are not converted from text.
 *
 * @example parseOption('background', '#FAB') // { value: '#ffaabb' }
 * @example parseOption('theme', 'drak') // { expected: 'must be "light", "dark" or "auto"' }
 */
export function parseOption<Name extends ViewerOptionName>(
  name: Name,
  value: unknown,
): ParsedOption<Name> {
  const definition: ViewerOptionDefinition = viewerOptions[name];
  const parsed = parseValue(definition, value);
  const result =
    parsed === undefined ? { expected: describeValues(definition) } : { value: parsed };
  return result as ParsedOption<Name>;
}

/**
 * Checks the text of an option in a URL or an HTML attribute: an empty text is true, `1` and `0` are true and false, a
 * color may be without its `#`, and a language may have a region.
 */
export function parseOptionText<Name extends ViewerOptionName>(
  name: Name,
  text: string,
): ParsedOption<Name> {
  const value = name === 'lang' ? toPrimaryLanguage(text) : convertText(viewerOptions[name], text);
  return parseOption(name, value);
}

/** The region of a language does not matter, nor does upper case: `de-AT` is `de`. */
function toPrimaryLanguage(text: string): string {
  return text.replace(/-.*/s, '').toLowerCase();
}

/**
 * Returns the valid options in their normal form, in the order of the table, so that options with the same meaning have the
 * same JSON.
 */
export function normalizeOptions(options: Readonly<Record<string, unknown>>): ViewerOptions {
  const normalized: Record<string, unknown> = {};
  // Most designs and requests have no options.
  if (Object.keys(options).length === 0) return normalized;
  for (const name of VIEWER_OPTION_NAMES) {
    if (options[name] === undefined) continue;
    const parsed: ParsedOption = parseOption(name, options[name]);
    if ('value' in parsed) normalized[name] = parsed.value;
  }
  return normalized;
}

function convertText({ kind }: ViewerOptionDefinition, text: string): Value {
  if (kind === 'boolean') return BOOLEANS.get(text) ?? text;
  if (kind === 'number') return NUMBER.test(text) ? Number(text) : text;
  return kind === 'color' && /^[0-9a-f]{3,6}$/i.test(text) ? `#${text}` : text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['', true],
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

function parseValue(definition: ViewerOptionDefinition, value: unknown): Value | undefined {
  const { kind } = definition;
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (kind === 'number') {
    const isValid = typeof value === 'number' && isBetween(value, definition);
    return isValid ? value : undefined;
  }
  return typeof value === 'string' ? parseText(definition, value) : undefined;
}

function parseText(definition: ViewerOptionDefinition, text: string): string | undefined {
  switch (definition.kind) {
    case 'orbit':
      return parseOrbit(text) && normalizeSpaces(text);
    case 'position':
      return parsePosition(text) && normalizeSpaces(text);
    case 'speed':
      return parseSpeed(text) === undefined ? undefined : normalizeSpaces(text);
    case 'angle':
      return isAngleBetween(text, definition) ? normalizeSpaces(text) : undefined;
    case 'color':
      return parseColor(text);
    case 'choice':
      return definition.values.includes(text) ? text : undefined;
    case 'words':
      return parseWords(text, definition.values);
    case 'text': {
      const isValid =
        text.trim() !== '' &&
        // A code point has at most two code units.
        text.length <= 2 * definition.maxLength &&
        Array.from(text).length <= definition.maxLength &&
        !FORBIDDEN_CHARACTERS.test(text);
      return isValid ? text : undefined;
    }
    default:
      return undefined;
  }
}

/** Removes repeated words, and sorts them as in the table. */
function parseWords(text: string, values: readonly string[]): string | undefined {
  const word = text.length > 1000 ? '' : text.trim();
  if (word === 'all' || word === 'none') return word;
  const words = word.split(/[ \t\n\r\f]+/);
  if (!words.every((item) => values.includes(item))) return undefined;
  return values.filter((item) => words.includes(item)).join(' ');
}

function isAngleBetween(
  text: string,
  { minimumDegrees, maximumDegrees }: { minimumDegrees: number; maximumDegrees: number },
): boolean {
  const angle = parseAngle(text);
  if (typeof angle !== 'number') return angle !== undefined;
  // 150deg in radians and back is not exactly 150.
  const degrees = Number(((angle * 180) / Math.PI).toFixed(9));
  return isBetween(degrees, { minimum: minimumDegrees, maximum: maximumDegrees });
}

function isBetween(value: number, { minimum, maximum }: { minimum: number; maximum: number }) {
  return value >= minimum && value <= maximum;
}

function normalizeSpaces(text: string): string {
  return text.toLowerCase().trim().split(/\s+/).join(' ');
}

function describeValues(definition: ViewerOptionDefinition): string {
  switch (definition.kind) {
    case 'boolean':
      return 'must be true or false';
    case 'number':
      return `must be a number from ${definition.minimum} to ${definition.maximum}`;
    case 'orbit':
      return 'must be an azimuth, an angle from above and a distance, such as "30deg 75deg 105%"; each may be "auto"';
    case 'position':
      return 'must be three coordinates, such as "0m 0.4m 0m"; each may be "auto"';
    case 'angle':
      return `must be an angle from ${definition.minimumDegrees} to ${definition.maximumDegrees} degrees, such as "${definition.example}", or "auto"`;
    case 'speed':
      return `must be an angle per second, such as "${definition.example}", or a share of the default, such as "50%"`;
    case 'color':
      return 'must be a color, such as "#f4f1ec", or "transparent"';
    case 'choice':
      return `must be ${joinWords(definition.values)}`;
    case 'words':
      return `must be "all", "none", or some of ${definition.values.join(', ')}, with spaces between them`;
    case 'text':
      return `must be text of 1 to ${definition.maxLength} characters on one line`;
  }
}

function joinWords(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
