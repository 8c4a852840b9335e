import { MAX_MOVEMENT_MS, type ViewerMethods } from '@cloche/contract/message';
import { parseAngle, parseOrbit, parsePosition } from '@cloche/contract/option-values';
import {
  type Check,
  either,
  listOf,
  nullable,
  numberFrom,
  objectWith,
  oneOf,
  optional,
  partId,
  text,
  textParsedBy,
} from './argument-checks.ts';
import { optionChanges } from './option-checks.ts';

/** What must be shown before a method is carried out: nothing, the preview or the model, or the model. */
export type Requirement = 'nothing' | 'frame' | 'model';

/** A method of the viewer that a host page can call. */
export type HostMethod = {
  requires: Requirement;
  /** The checks of its parameters, by name and in order. */
  parameters: Readonly<Record<string, Check>>;
};

const MAX_PARTS = 100_000;
const MAX_COORDINATE = 1e6;
const MAX_SECONDS = 1e6;
const MAX_PICTURE_PIXELS = 4096;
const MAX_NAME_LENGTH = 1000;

const name = text(MAX_NAME_LENGTH);
const coordinate = numberFrom(-MAX_COORDINATE, MAX_COORDINATE);
const ids = listOf(partId, MAX_PARTS);
const movement = optional(objectWith({ durationMs: numberFrom(0, MAX_MOVEMENT_MS) }));
const pixels = numberFrom(1, MAX_PICTURE_PIXELS);

const cameraChange = objectWith({
  orbit: either(
    textParsedBy(parseOrbit, '30deg 75deg 105%'),
    objectWith({
      theta: coordinate,
      phi: numberFrom(0, Math.PI),
      radius: numberFrom(0, MAX_COORDINATE),
    }),
  ),
  target: either(
    textParsedBy(parsePosition, '0m 0.4m 0m'),
    objectWith({ x: coordinate, y: coordinate, z: coordinate }),
  ),
  fieldOfView: either(textParsedBy(parseAngle, '25deg'), numberFrom(0, Math.PI)),
});

const screenshotOptions = objectWith({
  type: oneOf(['image/png', 'image/jpeg', 'image/webp']),
  quality: numberFrom(0, 1),
  width: pixels,
  height: pixels,
});

const method = (requires: Requirement, parameters: HostMethod['parameters'] = {}): HostMethod => ({
  requires,
  parameters,
});

/** The methods that a host page can call. The facade has them under the same names. */
export const hostMethods: Readonly<Record<keyof ViewerMethods, HostMethod>> = {
  load: method('nothing'),
  getOptions: method('nothing'),
  setOptions: method('nothing', { options: optionChanges }),
  getCamera: method('frame'),
  setCamera: method('frame', { change: cameraChange, movement }),
  resetCamera: method('frame', { movement }),
  frame: method('model', { part: optional(partId), movement }),
  getVariants: method('model'),
  getVariant: method('model'),
  setVariant: method('model', { name: nullable(name) }),
  getAnimations: method('model'),
  getAnimation: method('model'),
  selectAnimation: method('model', { name }),
  play: method('model'),
  pause: method('model'),
  seek: method('model', { time: numberFrom(0, MAX_SECONDS) }),
  getParts: method('model'),
  showParts: method('model', { ids }),
  hideParts: method('model', { ids }),
  isolateParts: method('model', { ids }),
  setPartColor: method('model', { ids, color: nullable(textParsedBy(parseHexColor, '#3366cc')) }),
  resetParts: method('model'),
  toBlob: method('model', { options: optional(screenshotOptions) }),
  pick: method('model', { x: coordinate, y: coordinate }),
  exitFullscreen: method('nothing'),
};

/** `#rrggbb` */
function parseHexColor(color: string): string | undefined {
  return /^#[\da-f]{6}$/i.test(color) ? color : undefined;
}
