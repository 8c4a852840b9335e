/**
 * The options of an embed: the only list of them. JSON and the properties of the SDK use these names; URLs and
 * HTML attributes use them in kebab-case (`camera-orbit`). Names and values are those of `<model-viewer>`.
 * Has no dependencies: the viewer and the SDK import it.
 */

/** How the value of an option is written. */
export type ViewerOptionKind =
  /** true or false. In a URL and as an attribute also `1` and `0`; without a value it is true. */
  | { kind: 'boolean' }
  | { kind: 'number'; minimum: number; maximum: number }
  /** Azimuth, angle from the zenith, and distance: `30deg 75deg 105%`. Each may be `auto`. */
  | { kind: 'orbit' }
  /** Coordinates in the model: `0m 0.4m 0m`. Each may be `auto`. */
  | { kind: 'position' }
  /** `30deg`, `0.5rad` or `auto`. */
  | { kind: 'angle'; minimumDegrees: number; maximumDegrees: number }
  /** An angle per second: `30deg`, or a share of it: `50%`. */
  | { kind: 'speed' }
  /** `#rrggbb`, `#rgb` or `transparent`. In a URL the `#` may be left out. */
  | { kind: 'color' }
  /** One of these words. */
  | { kind: 'choice'; values: readonly string[] }
  /** `all`, `none`, or some of these words with spaces between them. */
  | { kind: 'words'; values: readonly string[] }
  /** One line of text. The length is in code points. */
  | { kind: 'text'; maxLength: number };

export type ViewerOptionDefinition = ViewerOptionKind & {
  description: string;
  /** What applies without the option, as a value or in words. */
  default: string;
  example: boolean | number | string;
};

/** The parts of the control bar that the option `controls` can select. */
export const CONTROL_NAMES = [
  'zoom',
  'rotate',
  'reset',
  'variants',
  'animations',
  'parts',
  'help',
  'fullscreen',
] as const;
export type ControlName = (typeof CONTROL_NAMES)[number];

/** The languages of the viewer, as BCP 47 tags. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'ja',
  'zh',
  'ko',
  'ar',
] as const;
export type Language = (typeof LANGUAGES)[number];

export const viewerOptions = {
  cameraOrbit: {
    kind: 'orbit',
    description:
      'Where the camera starts: azimuth around the model, angle from above, and distance. A distance in percent is relative to the one at which the model fits the frame.',
    default: 'auto auto auto',
    example: '30deg 75deg 105%',
  },
  cameraTarget: {
    kind: 'position',
    description: 'The point that the camera looks at and rotates around, in metres.',
    default: 'auto auto auto',
    example: '0m 0.4m 0m',
  },
  fieldOfView: {
    kind: 'angle',
    minimumDegrees: 1,
    maximumDegrees: 150,
    description: 'The vertical field of view of the camera.',
    default: 'auto',
    example: '25deg',
  },
  minCameraOrbit: {
    kind: 'orbit',
    description: 'The smallest azimuth, angle from above and distance that a visitor can reach.',
    default: 'auto auto auto',
    example: '-90deg 30deg 50%',
  },
  maxCameraOrbit: {
    kind: 'orbit',
    description: 'The largest azimuth, angle from above and distance that a visitor can reach.',
    default: 'auto auto auto',
    example: '90deg 90deg 200%',
  },
  autoRotate: {
    kind: 'boolean',
    description: 'Whether the model rotates by itself until a visitor touches it.',
    default: 'false',
    example: true,
  },
  autoRotateDelay: {
    kind: 'number',
    minimum: 0,
    maximum: 600_000,
    description: 'The time without input after which the model rotates again, in milliseconds.',
    default: '3000',
    example: 1000,
  },
  rotationPerSecond: {
    kind: 'speed',
    description: 'The speed of `autoRotate`. Negative values rotate the other way.',
    default: '30deg',
    example: '12deg',
  },
  variantName: {
    kind: 'text',
    maxLength: 200,
    description: 'The name of the material variant that is shown first.',
    default: 'the materials of the file',
    example: 'Oak',
  },
  animationName: {
    kind: 'text',
    maxLength: 200,
    description: 'The name of the animation that is selected first.',
    default: 'the first animation',
    example: 'Open',
  },
  autoplay: {
    kind: 'boolean',
    description: 'Whether the animation plays at once.',
    default: 'true, unless the visitor prefers reduced motion',
    example: false,
  },
  exposure: {
    kind: 'number',
    minimum: 0,
    maximum: 8,
    description: 'The brightness of the model; 2 is twice as bright.',
    default: '1',
    example: 1.2,
  },
  shadowIntensity: {
    kind: 'number',
    minimum: 0,
    maximum: 2,
    description: 'The strength of the shadow on the ground; 0 is no shadow.',
    default: '1',
    example: 0.5,
  },
  background: {
    kind: 'color',
    description: 'The color behind the model.',
    default: 'a soft gradient that fits the theme',
    example: '#f4f1ec',
  },
  theme: {
    kind: 'choice',
    values: ['light', 'dark', 'auto'],
    description: 'Light or dark controls and background; `auto` follows the device of the visitor.',
    default: 'light',
    example: 'dark',
  },
  loading: {
    kind: 'choice',
    values: ['lazy', 'eager', 'click'],
    description:
      'When the model is loaded: as the embed comes into view, at once, or when the visitor asks for it.',
    default: 'lazy',
    example: 'click',
  },
  poster: {
    kind: 'boolean',
    description: 'Whether the poster is shown until the model has loaded.',
    default: 'true',
    example: false,
  },
  controls: {
    kind: 'words',
    values: CONTROL_NAMES,
    description: 'The parts of the control bar that are shown.',
    default: 'all',
    example: 'zoom fullscreen',
  },
  interaction: {
    kind: 'choice',
    values: ['none', 'orbit', 'full'],
    description:
      'What a visitor can do with pointer, touch and keyboard: nothing, only rotate, or rotate, zoom and move.',
    default: 'full',
    example: 'orbit',
  },
  scrollZoom: {
    kind: 'boolean',
    description: 'Whether the wheel zooms without the Ctrl key. Then it does not scroll the page.',
    default: 'false',
    example: true,
  },
  lang: {
    kind: 'choice',
    values: LANGUAGES,
    description: 'The language of the controls and messages.',
    default: 'the language of the visitor',
    example: 'de',
  },
  title: {
    kind: 'text',
    maxLength: 200,
    description: 'The name of the 3D view for screen readers, in place of the name of the design.',
    default: 'the name of the design',
    example: 'Oak chair, rotatable 3D view',
  },
} as const satisfies Record<string, ViewerOptionDefinition>;

export type ViewerOptionName = keyof typeof viewerOptions;

type ValueOf<Definition> = Definition extends { kind: 'boolean' }
  ? boolean
  : Definition extends { kind: 'number' }
    ? number
    : Definition extends { kind: 'choice'; values: readonly (infer Value)[] }
      ? Value
      : string;

/** Options as in JSON: valid, and only those that differ from the defaults need to be present. */
export type ViewerOptions = {
  -readonly [Name in ViewerOptionName]?: ValueOf<(typeof viewerOptions)[Name]>;
};

/** The names of all options. */
export const VIEWER_OPTION_NAMES = Object.keys(viewerOptions) as readonly ViewerOptionName[];

/** The name of an option in URLs and HTML attributes: in kebab-case. */
export function toParameterName(name: ViewerOptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
