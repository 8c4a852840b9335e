import { useId, useMemo, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { PlotArea } from './plot-area.tsx';
import type { PlotValue } from './plot-scale.ts';
import type { LinePlotProps } from './plot-series.ts';
import { PlotDayTable, PlotTable } from './plot-table.tsx';
import { plotTimes } from './plot-time.ts';
import './line-plot.css';

/** Values over time, as lines. The values at a time are read with a pointer or with the arrow keys, or in a table. */
export function LinePlot(props: LinePlotProps) {
  const { title, unit, times, series, formatValue, timeKind = 'minutes', headingLevel = 3 } = props;
  const Heading = `h${headingLevel}` as const;
  const titleId = useId();
  const [selected, setSelected] = useState<number>();
  const [isTableOpen, setTableOpen] = useState(false);
  const last = times.length - 1;
  const index = Math.min(selected ?? last, last);
  const readout = useMemo(() => (index < 0 ? '' : formatReadout(props, index)), [props, index]);
  return (
    <figure className="plot" aria-labelledby={titleId}>
      <figcaption>
        <Heading id={titleId}>{title}</Heading>
        <span className="plot-unit">{unit}</span>
      </figcaption>
      {last < 0 ? (
        <p className="plot-none">{texts.common.plot.none}</p>
      ) : (
        <>
          <PlotArea
            {...props}
            index={index}
            readout={readout}
            isSelected={selected !== undefined}
            onSelect={setSelected}
          />
          <PlotLegend series={series} index={index} formatValue={formatValue} />
          <p className="plot-time">{plotTimes[timeKind].format(times[index] ?? 0)}</p>
          <details onToggle={(event) => setTableOpen(event.currentTarget.open)}>
            <summary>{texts.common.plot.table}</summary>
            {isTableOpen &&
              (timeKind === 'days' ? <PlotDayTable {...props} /> : <PlotTable {...props} />)}
          </details>
        </>
      )}
    </figure>
  );
}

type PlotLegendProps = Pick<LinePlotProps, 'series' | 'formatValue'> & { index: number };

/** The names of the lines, with their values at the selected time. */
function PlotLegend({ series, index, formatValue }: PlotLegendProps) {
  return (
    <ul className="plot-legend">
      {series.map(({ name, tone, values }) => (
        <li key={name}>
          <svg viewBox="0 0 24 4" aria-hidden="true">
            <path className={`plot-line ${tone}`} d="M0 2H24" />
          </svg>
          {name} <b>{formatPlotValue(values[index], formatValue)}</b>
        </li>
      ))}
    </ul>
  );
}

function formatReadout(props: LinePlotProps, index: number): string {
  const { times, series, formatValue, timeKind = 'minutes' } = props;
  const values = series.map(
    ({ name, values }) => `${name} ${formatPlotValue(values[index], formatValue)}`,
  );
  return `${plotTimes[timeKind].format(times[index] ?? 0)}: ${values.join(', ')}`;
}

function formatPlotValue(value: PlotValue | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? texts.common.plot.noValue : format(value);
}
