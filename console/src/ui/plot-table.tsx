import { useMemo } from 'react';
import { texts } from '../i18n/en.ts';
import { type PlotHour, summarizeHours } from './plot-scale.ts';
import type { LinePlotProps } from './plot-series.ts';
import { plotTimes } from './plot-time.ts';

/** The values of a plot as a table with a row for each hour. */
export function PlotTable({ title, times, series, formatValue }: LinePlotProps) {
  const hours = useMemo(
    () =>
      summarizeHours(
        times,
        series.map(({ values }) => values),
      ),
    [times, series],
  );
  const formatRange = (range: PlotHour['ranges'][number]) => {
    if (range === undefined) return texts.common.plot.noValue;
    const [min, max] = [formatValue(range.min), formatValue(range.max)];
    return min === max ? min : `${min} – ${max}`;
  };
  const rows = hours.map(({ time, ranges }) => ({
    time: new Date(time).toLocaleString('en', { weekday: 'short', hour: 'numeric' }),
    values: series.map((_, index) => formatRange(ranges[index])),
  }));
  return <ValueTable title={title} head={texts.common.plot.hour} series={series} rows={rows} />;
}

/** The values of a plot of days as a table with a row for each sample. */
export function PlotDayTable({ title, times, series, formatValue }: LinePlotProps) {
  const rows = times.map((time, index) => ({
    time: plotTimes.days.format(time),
    values: series.map(({ values }) => {
      const value = values[index] ?? null;
      return value === null ? texts.common.plot.noValue : formatValue(value);
    }),
  }));
  return <ValueTable title={title} head={texts.common.plot.day} series={series} rows={rows} />;
}

type ValueTableProps = Pick<LinePlotProps, 'title' | 'series'> & {
  head: string;
  rows: readonly { time: string; values: readonly string[] }[];
};

function ValueTable({ title, head, series, rows }: ValueTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls with the keyboard
    <section className="table-scroll" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {series.map(({ name }, index) => (
                <td key={name} className="number">
                  {values[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
