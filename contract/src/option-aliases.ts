import type { ViewerOptionName, ViewerOptions } from './viewer-options.ts';

/** A parameter of the embeds of Sketchfab, in terms of our options. Only URLs and HTML attributes may have it. */
export type OptionAlias = {
  /** The options it stands for. */
  names: readonly ViewerOptionName[];
  description: string;
  /** Returns the options, or undefined for an invalid value: nothing but a number. */
  toOptions: (value: number) => ViewerOptions | undefined;
};

/** Sketchfab does not document a unit. 1 is the default speed of `autoRotate`. */
const DEGREES_PER_SECOND = 30;
const MAX_SPEED = 100;

const toSwitch =
  (on: ViewerOptions, off: ViewerOptions) =>
  (value: number): ViewerOptions | undefined =>
    value === 1 ? on : value === 0 ? off : undefined;

/** The parameters of Sketchfab that are options here too, by name. Our own names take precedence over them. */
export const optionAliases = {
  autostart: {
    names: ['loading'],
    description: '`1` is `loading=eager`; `0` is `loading=click`.',
    toOptions: toSwitch({ loading: 'eager' }, { loading: 'click' }),
  },
  preload: {
    names: ['loading'],
    description: '`1` is `loading=eager`, unless `autostart` says otherwise; `0` has no effect.',
    toOptions: toSwitch({ loading: 'eager' }, {}),
  },
  autospin: {
    names: ['autoRotate', 'rotationPerSecond'],
    description:
      '`0` is `auto-rotate=0`. Another number is `auto-rotate`, at this multiple of 30 degrees per second.',
    toOptions: (value) => {
      if (value === 0) return { autoRotate: false };
      if (!(Math.abs(value) <= MAX_SPEED)) return undefined;
      const degrees = Number((value * DEGREES_PER_SECOND).toFixed(3));
      return { autoRotate: true, rotationPerSecond: `${degrees}deg` };
    },
  },
  transparent: {
    names: ['background'],
    description: '`1` is `background=transparent`; `0` has no effect.',
    toOptions: toSwitch({ background: 'transparent' }, {}),
  },
  ui_controls: {
    names: ['controls'],
    description: '`0` is `controls=none`; `1` is `controls=all`.',
    toOptions: toSwitch({ controls: 'all' }, { controls: 'none' }),
  },
  ui_infos: {
    names: [],
    description: 'Has no effect: there is no bar with the title and the author.',
    toOptions: toSwitch({}, {}),
  },
  scrollwheel: {
    names: ['scrollZoom'],
    description: '`1` is `scroll-zoom`; `0` is `scroll-zoom=0`.',
    toOptions: toSwitch({ scrollZoom: true }, { scrollZoom: false }),
  },
} as const satisfies Record<string, OptionAlias>;

export type OptionAliasName = keyof typeof optionAliases;

/** Finds an alias. Untrusted text may be the name of a property that every object has. */
export function findOptionAlias(name: string): OptionAlias | undefined {
  return Object.hasOwn(optionAliases, name) ? optionAliases[name as OptionAliasName] : undefined;
}
