import { type PointerEvent, useMemo } from 'react';
import { texts } from '../i18n/en.ts';
import {
  findClosestIndex,
  findValueTicks,
  PLOT_SIZE,
  type PlotValue,
  toLinePath,
} from './plot-scale.ts';
import type { LinePlotProps } from './plot-series.ts';
import { plotTimes } from './plot-time.ts';

type PlotAreaProps = LinePlotProps & {
  /** The sample whose values are shown. */
  index: number;
  /** The time and the values of this sample. */
  readout: string;
  /** Whether the sample was chosen. */
  isSelected: boolean;
  onSelect: (index: number | undefined) => void;
};

/** The lines with their axes. The slider over them chooses a sample: with the pointer, or with the arrow keys. */
export function PlotArea(props: PlotAreaProps) {
  const { title, times, series, from, to, formatValue, minStep = 0, timeKind = 'minutes' } = props;
  const { index, readout, isSelected, onSelect } = props;
  const ticks = useMemo(
    () => findValueTicks(findMax(series.map(({ values }) => values)), minStep),
    [series, minStep],
  );
  const max = ticks.at(-1) ?? 1;
  const select = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onSelect(findClosestIndex(times, from + ((event.clientX - left) / width) * (to - from)));
  };
  const toPercent = (time: number) => `${((time - from) / (to - from)) * 100}%`;
  return (
    <div className="plot-area">
      <div className="plot-values" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: `${(tick / max) * 100}%` }}>
            {formatValue(tick)}
          </span>
        ))}
      </div>
      <div className="plot-lines">
        {ticks.map((tick) => (
          <i key={tick} style={{ bottom: `${(tick / max) * 100}%` }} />
        ))}
        <PlotLines {...props} max={max} />
        {isSelected && <i className="plot-cursor" style={{ left: toPercent(times[index] ?? 0) }} />}
        <input
          type="range"
          min={0}
          max={times.length - 1}
          value={index}
          aria-label={texts.common.plot.slider(title)}
          aria-valuetext={readout}
          onChange={(event) => onSelect(event.currentTarget.valueAsNumber)}
          onPointerMove={select}
          onPointerDown={(event) => {
            // The slider would set a value of its own.
            event.preventDefault();
            event.currentTarget.focus();
            select(event);
          }}
          onPointerLeave={() => onSelect(undefined)}
        />
      </div>
      <div className="plot-times" aria-hidden="true">
        {plotTimes[timeKind].findTicks(from, to).map((tick) => (
          <span key={tick} style={{ left: `min(${toPercent(tick)}, 100% - 1.5rem)` }}>
            {plotTimes[timeKind].formatTick(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

function PlotLines({ series, times, from, to, maxGapMs, max }: LinePlotProps & { max: number }) {
  const paths = useMemo(
    () =>
      series.map(({ name, tone, values }) => ({
        name,
        tone,
        path: toLinePath(values, { times, from, to, max, maxGapMs }),
      })),
    [series, times, from, to, max, maxGapMs],
  );
  return (
    <svg viewBox={`0 0 ${PLOT_SIZE} ${PLOT_SIZE}`} preserveAspectRatio="none" aria-hidden="true">
      {paths.map(({ name, tone, path }) => (
        <path key={name} className={`plot-line ${tone}`} d={path} />
      ))}
    </svg>
  );
}

function findMax(series: readonly (readonly PlotValue[])[]): number {
  let max = 0;
  for (const value of series.flat()) max = Math.max(max, value ?? 0);
  return max;
}
