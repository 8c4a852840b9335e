/**
 * Parsers for the values of options that are more than a number or a word. The syntax is that of `<model-viewer>`,
 * without `calc()` and `env()`. Each parser returns undefined for a text that is not such a value; none throws, and
 * none returns NaN or Infinity. Has no dependencies: server, viewer and SDK import it.
 */

/** Where a camera is, relative to its target. What is absent was `auto`, or was left out at the end. */
export type OrbitValue = {
  /** Around the Y axis, radians. */
  theta?: number;
  /** From the zenith, radians. */
  phi?: number;
  /** The distance: absolute, or relative to the one at which the model fits the frame (`105%`: 1.05). */
  radius?: { meters: number } | { ratio: number };
};

/** A point in the model, in metres. What is absent was `auto`, or was left out at the end. */
export type PositionValue = { x?: number; y?: number; z?: number };

/** The speed of `100%`, radians per second. */
export const DEFAULT_ROTATION_PER_SECOND = Math.PI / 6;

/** No text of a valid value is longer. */
const MAX_LENGTH = 100;
/** In metres or radians: larger numbers have no use, and lose precision in the calculations of the viewer. */
const MAX_NUMBER = 1e6;
const NUMBER_AND_UNIT = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)(deg|rad|m|cm|mm|%)?$/i;

const LENGTH_FACTORS: Readonly<Record<string, number>> = { m: 1, cm: 0.01, mm: 0.001, '': 1 };
const ANGLE_FACTORS: Readonly<Record<string, number>> = { deg: Math.PI / 180, rad: 1 };
const SPEED_FACTORS = { ...ANGLE_FACTORS, '%': DEFAULT_ROTATION_PER_SECOND / 100 };

/**
 * Parses azimuth, angle from the zenith, and distance. A distance without a unit is in metres; of the angles, only 0 may
 * be without a unit.
 *
 * @example parseOrbit('30deg auto 105%') // { theta: 0.5236, radius: { ratio: 1.05 } }
 */
export function parseOrbit(text: string): OrbitValue | undefined {
  const [theta = 'auto', phi = 'auto', radius = 'auto'] = splitParts(text, 3) ?? [''];
  const angles = { theta: parseAngle(theta), phi: parseAngle(phi) };
  const distance = parseRadius(radius);
  if (angles.theta === undefined || angles.phi === undefined || distance === undefined) {
    return undefined;
  }
  return {
    ...(angles.theta !== 'auto' && { theta: angles.theta }),
    ...(angles.phi !== 'auto' && { phi: angles.phi }),
    ...(distance !== 'auto' && { radius: distance }),
  };
}

/**
 * Parses the coordinates of a point. Numbers without a unit are in metres.
 *
 * @example parsePosition('0m 40cm auto') // { x: 0, y: 0.4 }
 */
export function parsePosition(text: string): PositionValue | undefined {
  const parts = splitParts(text, 3);
  if (parts === undefined) return undefined;
  const lengths = parts.map((part) => (part === 'auto' ? part : parseLength(part)));
  if (lengths.includes(undefined)) return undefined;
  const [x, y, z] = lengths;
  return {
    ...(typeof x === 'number' && { x }),
    ...(typeof y === 'number' && { y }),
    ...(typeof z === 'number' && { z }),
  };
}

/** Parses an angle: radians, or `auto`. Only 0 may be without a unit. */
export function parseAngle(text: string): number | 'auto' | undefined {
  const [part] = splitParts(text, 1) ?? [];
  if (part === undefined || part === 'auto') return part;
  return convertNumber(part, ANGLE_FACTORS);
}

/** Parses an angle per second, or a share of the default speed: radians per second. */
export function parseSpeed(text: string): number | undefined {
  const [part] = splitParts(text, 1) ?? [];
  return part === undefined ? undefined : convertNumber(part, SPEED_FACTORS);
}

/**
 * Parses a color: `#rrggbb` in lower case, or `transparent`. The result is safe in CSS and HTML.
 *
 * @example parseColor('#FAB') // '#ffaabb'
 */
export function parseColor(text: string): string | undefined {
  const color = text.length > MAX_LENGTH ? '' : text.toLowerCase();
  if (color === 'transparent' || /^#[0-9a-f]{6}$/.test(color)) return color;
  return /^#[0-9a-f]{3}$/.test(color) ? color.replace(/[0-9a-f]/g, '$&$&') : undefined;
}

function parseRadius(part: string): OrbitValue['radius'] | 'auto' | undefined {
  if (part === 'auto') return part;
  const ratio = convertNumber(part, { '%': 0.01 });
  const meters = parseLength(part);
  if (meters !== undefined) return meters < 0 ? undefined : { meters };
  return ratio === undefined || ratio < 0 ? undefined : { ratio };
}

const parseLength = (part: string) => convertNumber(part, LENGTH_FACTORS);

/** Splits at the white space of CSS. The words and units are in lower case. */
function splitParts(text: string, maxParts: number): string[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = text
    .toLowerCase()
    .split(/[ \t\n\r\f]+/)
    .filter((part) => part !== '');
  return parts.length === 0 || parts.length > maxParts ? undefined : parts;
}

/** Converts a number with one of the units. 0 needs no unit. */
function convertNumber(part: string, factors: Readonly<Record<string, number>>) {
  const [, digits, unit = ''] = NUMBER_AND_UNIT.exec(part) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (number === 0 && unit === '') return 0;
  const factor = factors[unit];
  if (factor === undefined) return undefined;
  const converted = number * factor;
  return Math.abs(converted) > MAX_NUMBER ? undefined : converted;
}
