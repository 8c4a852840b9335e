import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KeyframeInterpolation, resampleKeyframes } from './resample-keyframes.ts';

type Resampled = { times: number[]; values: number[][] };
/** The value at a time. */
type Motion = (seconds: number) => number[];

const TOLERANCE = 1e-4;
const FRAMES_PER_SECOND = 60;
/** Of interpolation in single precision. */
const ROUNDING = 1e-7;

function resample(
  times: readonly number[],
  values: readonly number[][],
  interpolation: KeyframeInterpolation = 'lerp',
): Resampled {
  const [input, output] = [Float32Array.from(times), Float32Array.from(values.flat())];
  const size = output.length / Math.max(1, input.length);
  const count = resampleKeyframes(input, output, interpolation, TOLERANCE);
  return {
    times: [...input.subarray(0, count)],
    values: Array.from({ length: count }, (_, index) => [
      ...output.subarray(index * size, (index + 1) * size),
    ]),
  };
}

function listFrames(seconds: number): number[] {
  return Array.from({ length: seconds * FRAMES_PER_SECOND + 1 }, (_, i) => i / FRAMES_PER_SECOND);
}

/** As viewers play it: slerp along the shortest path for rotations. */
function interpolate({ times, values }: Resampled, time: number, slerp = false): number[] {
  const next = Math.max(
    1,
    times.findIndex((each) => each >= Math.fround(time)),
  );
  const [start = 0, end = 0] = [times[next - 1], times[next]];
  const [from = [], to = []] = [values[next - 1], values[next]];
  const fraction = (Math.fround(time) - start) / (end - start);
  const cosine = slerp ? dot(from, to) : 1;
  const angle = Math.acos(Math.min(1, Math.abs(cosine)));
  const weigh = (part: number) => (angle < 1e-4 ? part : Math.sin(part * angle) / Math.sin(angle));
  const sign = cosine < 0 ? -1 : 1;
  return from.map((each, i) => weigh(1 - fraction) * each + sign * weigh(fraction) * (to[i] ?? 0));
}

const dot = (a: number[], b: number[]) => a.reduce((sum, each, i) => sum + each * (b[i] ?? 0), 0);
const difference = (a: number[], b: number[]) =>
  Math.max(...a.map((each, i) => Math.abs(each - (b[i] ?? Number.NaN))));

function assertWithinTolerance(resampled: Resampled, motion: Motion, frames: number[]): void {
  for (const time of frames) {
    const error = difference(interpolate(resampled, time), motion(time));
    assert.ok(error <= TOLERANCE + ROUNDING, `${error} at ${time} s`);
  }
}

function assertRotationWithinTolerance(resampled: Resampled, motion: Motion, frames: number[]) {
  for (const time of frames) {
    const [actual, expected] = [interpolate(resampled, time, true), motion(time)];
    const negative = expected.map((each) => -each);
    const error = Math.min(difference(actual, expected), difference(actual, negative));
    assert.ok(error <= TOLERANCE + 3 * ROUNDING, `${error} at ${time} s`);
  }
}

const turn = (angle: number) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
const sine = (seconds: number) => 0.1 * Math.sin((2 * Math.PI * seconds) / 20);

describe('the keyframes that remain of a slow motion', () => {
  const frames = listFrames(20);

  it('interpolate each removed keyframe of a translation within the tolerance', () => {
    const motion: Motion = (seconds) => [sine(seconds), 1, -sine(seconds)];
    const resampled = resample(frames, frames.map(motion));
    assertWithinTolerance(resampled, motion, frames);
    assert.ok(resampled.times.length < 80, `${resampled.times.length} keyframes`);
  });

  it('interpolate each removed keyframe of a rotation within the tolerance', () => {
    const motion: Motion = (seconds) => turn(5 * sine(seconds));
    const resampled = resample(frames, frames.map(motion), 'slerp');
    assertRotationWithinTolerance(resampled, motion, frames);
    assert.ok(resampled.times.length < 120, `${resampled.times.length} keyframes`);
  });

  it('interpolate both weights of two morph targets', () => {
    const motion: Motion = (seconds) => [seconds / 20, sine(seconds)];
    const resampled = resample(frames, frames.map(motion));
    assertWithinTolerance(resampled, motion, frames);
    assert.ok(resampled.times.length < 80, `${resampled.times.length} keyframes`);
  });

  it('include a peak of one keyframe in a long constant', () => {
    const motion: Motion = (seconds) => [seconds === 7 ? 1 : 0];
    const resampled = resample(frames, frames.map(motion));
    assertWithinTolerance(resampled, motion, frames);
    assert.ok(resampled.times.length <= 6, `${resampled.times.length} keyframes`);
  });
});

describe('the keyframes that remain of a rotation', () => {
  const frames = listFrames(2);

  it('are two for a uniform one, also of negative quaternions', () => {
    const values = frames.map((time, i) => turn(time).map((each) => (i % 2 ? -each : each)));
    assert.deepEqual(resample(frames, values, 'slerp').times, [0, 2]);
  });

  it('follow more than one turn', () => {
    const motion: Motion = (seconds) => turn(5 * Math.PI * seconds);
    const resampled = resample(frames, frames.map(motion), 'slerp');
    assertRotationWithinTolerance(resampled, motion, frames);
    assert.ok(resampled.times.length <= 12, `${resampled.times.length} keyframes`);
  });

  it('do not leave the shortest path to rounding: half a turn keeps a keyframe within', () => {
    const values = frames.map((time) => turn((Math.PI * time) / 2));
    assert.ok(resample(frames, values, 'slerp').times.length > 2);
  });
});

describe('the keyframes that remain of steps', () => {
  it('are the first of equal values, and the last of all', () => {
    const values = [0, 0, 0, 1, 1, 0, 0, 0].map((value) => [value, 7]);
    const { times, values: remaining } = resample([0, 1, 2, 3, 4, 5, 6, 7], values, 'step');
    assert.deepEqual(times, [0, 3, 5, 7]);
    assert.deepEqual(
      remaining.map(([value]) => value),
      [0, 1, 0, 0],
    );
  });

  it('include differences below the tolerance', () => {
    const values = [[0], [TOLERANCE / 2], [0], [0]];
    assert.deepEqual(resample([0, 1, 2, 3], values, 'step').times, [0, 1, 2, 3]);
  });
});

describe('the keyframes that remain', () => {
  it('are two for a uniform motion with different intervals', () => {
    const times = [0, 0.1, 0.5, 0.75, 2, 3];
    const values = times.map((time) => [2 * time, 1 - time, 3]);
    const resampled = resample(times, values);
    assert.deepEqual(resampled, { times: [0, 3], values: [values[0], values[5]] });
  });

  it('are the same for none, one and two', () => {
    for (const times of [[], [1], [1, 2]])
      for (const interpolation of ['lerp', 'slerp', 'step'] as const) {
        const values = times.map(() => [0, 0, 0, 1]);
        assert.deepEqual(resample(times, values, interpolation), { times, values });
      }
  });

  it('have increasing times: the last of those at one time remains', () => {
    const times = [0, 0, 1, 2, 2, 3, 4, 4];
    const values = [0, 1, 1, 1, 5, 5, 5, 6].map((value) => [value]);
    const resampled = resample(times, values);
    assert.deepEqual(resampled.times, [0, 1, 2, 3, 4]);
    assert.deepEqual(resampled.values.flat(), [1, 1, 5, 5, 6]);
    assert.deepEqual(resample([3, 3], [[1], [2]]), { times: [3], values: [[2]] });
  });
});

describe('the work for 100 000 keyframes', () => {
  const COUNT = 100_000;
  const MAX_READS = 40;

  /** Counts how often a time is read, and stops if that is too often. */
  function countReads(times: Float32Array, readsPerKeyframe: number) {
    let reads = 0;
    return new Proxy(times, {
      get(target, key) {
        reads++;
        assert.ok(reads < readsPerKeyframe * COUNT, `more than ${readsPerKeyframe} per keyframe`);
        return Reflect.get(target, key, target);
      },
    });
  }

  for (const [name, value, remaining] of [
    ['a constant', () => 3, 2],
    ['a line', (index) => index / 1024, 2],
    ['a slow sine', (index) => sine(index / FRAMES_PER_SECOND), 7000],
    ['alternating values', (index) => index % 2, COUNT],
    ['a line with one jump', (index) => (index < COUNT / 2 + 9 ? index / 1024 : 0), 4],
  ] satisfies [string, (index: number) => number, number][])
    it(`is not quadratic for ${name}`, () => {
      const times = Float32Array.from({ length: COUNT }, (_, index) => index / 64);
      const values = Float32Array.from(times, (_, index) => value(index));
      const count = resampleKeyframes(countReads(times, MAX_READS), values, 'lerp', TOLERANCE);
      assert.ok(count <= remaining, `${count} keyframes`);
    });
});
