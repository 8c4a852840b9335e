/**
 * Removes keyframes that the remaining ones interpolate, each within the tolerance.
 *
 * `keyframe-resample`, the default of glTF-Transform, compares a keyframe only with its neighbours:
 * errors add up in slow motions. With a tolerance of 1e-4, a sine of amplitude 0.1 and period 20 s at
 * 60 keyframes per second had an error of 3.1e-3.
 *
 * A segment grows from the last kept keyframe while all keyframes within it fit. Its length doubles
 * as long as they do, and a binary search finds the end: n log n comparisons for n keyframes. A cone
 * of slopes would need n, but does not exist for slerp.
 */
export type KeyframeInterpolation = 'step' | 'lerp' | 'slerp';

/** `size` values per keyframe. */
type Keyframes = { times: Float32Array; values: Float32Array; size: number };
/** Whether all keyframes between two can be removed. */
type SegmentTest = (start: number, end: number) => boolean;
/** The interpolated value: the keyframes at both ends, multiplied by weights and added. */
type Sample = { start: number; end: number; startWeight: number; endWeight: number };

/** Below this angle, in radians, slerp and lerp differ by less than single precision. */
const MIN_SLERP_ANGLE = 1e-3;
/** Near a half turn, rounding errors decide which of two paths is the shortest. */
const MIN_ROTATION_COSINE = 0.01;

/**
 * Moves the keyframes that remain to the start of both arrays.
 *
 * @param tolerance largest difference of each component; `step` removes equal values only
 * @returns how many keyframes remain: the first and last, and as few others as the search finds
 */
export function resampleKeyframes(
  times: Float32Array,
  values: Float32Array,
  interpolation: KeyframeInterpolation,
  tolerance: number,
): number {
  const keyframes = { times, values, size: values.length / times.length };
  const last = removeRepeatedTimes(keyframes) - 1;
  const canRemove = createSegmentTest(keyframes, interpolation, tolerance);
  let count = Math.min(1, last + 1);
  for (let start = 0; start < last; count++) {
    start = findSegmentEnd(start, last, canRemove);
    copyKeyframe(keyframes, start, count);
  }
  return count;
}

/** Keeps the last of the keyframes at one time: players show it from this time on. */
function removeRepeatedTimes(keyframes: Keyframes): number {
  const { times } = keyframes;
  let count = 0;
  for (let index = 0; index < times.length; index++) {
    if (count > 0 && times[index] === times[count - 1]) count--;
    copyKeyframe(keyframes, index, count++);
  }
  return count;
}

function copyKeyframe({ times, values, size }: Keyframes, from: number, to: number): void {
  if (from === to) return;
  times[to] = times[from] as number;
  values.copyWithin(to * size, from * size, (from + 1) * size);
}

function findSegmentEnd(start: number, last: number, canRemove: SegmentTest): number {
  let end = start + 1;
  let tooFar = last + 1;
  while (end < last && tooFar > last) {
    const next = Math.min(start + 2 * (end - start), last);
    if (canRemove(start, next)) end = next;
    else tooFar = next;
  }
  while (tooFar - end > 1) {
    const middle = Math.floor((end + tooFar) / 2);
    if (canRemove(start, middle)) end = middle;
    else tooFar = middle;
  }
  return end;
}

function createSegmentTest(
  keyframes: Keyframes,
  interpolation: KeyframeInterpolation,
  tolerance: number,
): SegmentTest {
  if (interpolation === 'step') return (start, end) => isConstant(keyframes, start, end);
  if (interpolation === 'lerp') return (start, end) => isLinear(keyframes, start, end, tolerance);
  return (start, end) => isUniformRotation(keyframes, start, end, tolerance);
}

function isConstant({ values, size }: Keyframes, start: number, end: number): boolean {
  for (let offset = (start + 1) * size; offset < end * size; offset++)
    if (values[offset] !== values[offset - size]) return false;
  return true;
}

function isLinear(keyframes: Keyframes, start: number, end: number, tolerance: number): boolean {
  for (let index = start + 1; index < end; index++) {
    const endWeight = computeFraction(keyframes.times, start, end, index);
    const sample = { start, end, startWeight: 1 - endWeight, endWeight };
    if (!isNear(keyframes, sample, index, tolerance)) return false;
  }
  return true;
}

function isUniformRotation(
  keyframes: Keyframes,
  start: number,
  end: number,
  tolerance: number,
): boolean {
  const cosine = dot(keyframes, start, end);
  if (Math.abs(cosine) < MIN_ROTATION_COSINE) return end - start === 1;
  const angle = Math.acos(Math.min(1, Math.abs(cosine)));
  const weigh = (fraction: number) =>
    angle < MIN_SLERP_ANGLE ? fraction : Math.sin(fraction * angle) / Math.sin(angle);
  for (let index = start + 1; index < end; index++) {
    const fraction = computeFraction(keyframes.times, start, end, index);
    const startWeight = weigh(1 - fraction);
    const endWeight = weigh(fraction) * getSign(cosine);
    // A quaternion and its negative are the same rotation.
    const sign = getSign(
      startWeight * dot(keyframes, start, index) + endWeight * dot(keyframes, end, index),
    );
    const sample = { start, end, startWeight: sign * startWeight, endWeight: sign * endWeight };
    if (!isNear(keyframes, sample, index, tolerance)) return false;
  }
  return true;
}

/** NaN, which is near nothing, for times that do not increase. */
function computeFraction(times: Float32Array, start: number, end: number, index: number): number {
  const startTime = times[start] as number;
  const fraction = ((times[index] as number) - startTime) / ((times[end] as number) - startTime);
  return fraction > 0 && fraction < 1 ? fraction : Number.NaN;
}

function isNear(
  { values, size }: Keyframes,
  { start, end, startWeight, endWeight }: Sample,
  index: number,
  tolerance: number,
): boolean {
  for (let component = 0; component < size; component++) {
    const from = values[start * size + component] as number;
    const to = values[end * size + component] as number;
    const expected = values[index * size + component] as number;
    if (!(Math.abs(from * startWeight + to * endWeight - expected) <= tolerance)) return false;
  }
  return true;
}

function dot({ values, size }: Keyframes, first: number, second: number): number {
  let sum = 0;
  for (let component = 0; component < size; component++)
    sum +=
      (values[first * size + component] as number) * (values[second * size + component] as number);
  return sum;
}

function getSign(value: number): number {
  return value < 0 ? -1 : 1;
}
