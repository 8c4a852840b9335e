import type { Measurement } from '../measurement.ts';
import type { ScrollMeasurement } from './measure-scrolling.ts';
import type { SearchMeasurement } from './measure-search.ts';

const MAX_SEARCH_MS = 100;
/** If 95 % of the designs are not read by their id in this time, the machine is busy, which only makes searches slower. */
const MAX_READ_MS = 15;
/** Of all frames, in percent. */
const LATE_MARGIN = 1;
/** Above this share of late frames of the empty page, the machine cannot draw 60 frames per second. In percent. */
const MAX_FLOOR = 1;

/** Compares each search with the goal. What other measurements, such as that of one design, are for is in the detail. */
export function createSearchGoals([byId, ...searches]: readonly SearchMeasurement[]) {
  return searches.map(({ label, times, cpuMs }): Measurement => {
    const ratio =
      byId === undefined
        ? ''
        : `, ${(times.p95 / byId.times.p95).toFixed(1)} × that of ${byId.label}`;
    return {
      label: `${label}: p95`,
      value: times.p95,
      unit: 'ms',
      atMost: MAX_SEARCH_MS,
      ...(byId !== undefined && byId.times.p95 > MAX_READ_MS && { spread: times.p95 }),
      detail: `p50 ${times.p50.toFixed(1)}, p99 ${times.p99.toFixed(1)}, max ${times.max.toFixed(1)}, CPU ${cpuMs.toFixed(1)} each${ratio}`,
    };
  });
}

/** Compares the late frames of each list with those of the empty page, which is the first one. */
export function createScrollGoals([floor, ...lists]: readonly ScrollMeasurement[]) {
  const floorShare = (floor?.lateShare ?? 1) * 100;
  const isFloorLate = floorShare > MAX_FLOOR;
  return lists.map(({ label, times, lateShare, ...others }): Measurement => {
    const { frames, cpuMs, scriptMs, mostCards } = others;
    return {
      label: `${label}: late frames`,
      value: lateShare * 100,
      unit: '%',
      atMost: floorShare + LATE_MARGIN,
      // Any share of late frames can be that of the machine.
      ...(isFloorLate && { spread: 100 }),
      detail: `of ${frames}; p50 ${times.p50.toFixed(1)} ms, p95 ${times.p95.toFixed(1)}, p99 ${times.p99.toFixed(1)}, max ${times.max.toFixed(1)}; CPU ${cpuMs.toFixed(2)} each, scripts ${scriptMs.toFixed(2)}; at most ${mostCards} cards; an empty page: ${floorShare.toFixed(1)} % late`,
    };
  });
}
