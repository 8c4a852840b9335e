import { formatTime } from './format.ts';
import { findDayTicks, findTimeTicks } from './plot-scale.ts';

const HOURS_BETWEEN_TICKS = 6;
const DAY_FORMAT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const SHORT_DAY_FORMAT = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** How the times of a plot are shown: minutes of a day in the time zone of the browser, or days in UTC. */
export const plotTimes = {
  minutes: {
    findTicks: (from: number, to: number) => findTimeTicks(from, to, HOURS_BETWEEN_TICKS),
    formatTick: (time: number) =>
      new Date(time).toLocaleTimeString('en', {
        hour: '2-digit',
        minute: '2-digit',
        hour12: false,
      }),
    format: (time: number) => formatTime(new Date(time)),
  },
  days: {
    findTicks: findDayTicks,
    formatTick: (time: number) => SHORT_DAY_FORMAT.format(time),
    format: (time: number) => DAY_FORMAT.format(time),
  },
};
