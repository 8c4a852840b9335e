import {
  type ViewerOptionName,
  type ViewerOptions,
  viewerOptions,
} from '@cloche/contract/viewer-options';

/** The names of all options, in camelCase. The build reduces the table of the contract to names and kinds. */
export const OPTION_NAMES = Object.keys(viewerOptions) as ViewerOptionName[];

/** `cameraOrbit` becomes `camera-orbit`, as in URLs and attributes. */
export function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The options among other properties. Those that are undefined are left out. */
export function pickOptions(properties: object): ViewerOptions {
  const entries = Object.entries(properties).filter(
    ([name, value]) => Object.hasOwn(viewerOptions, name) && value !== undefined,
  );
  return Object.fromEntries(entries);
}

/** Converts an attribute to the value of an option. The viewer checks values, so an invalid one stays text. */
export function parseOptionAttribute(name: ViewerOptionName, text: string): unknown {
  const { kind } = viewerOptions[name];
  if (kind === 'number') return text.trim() === '' ? text : Number(text);
  if (kind !== 'boolean') return text;
  if (text === '' || text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : text;
}
