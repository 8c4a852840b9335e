import type { Design, ProcessingReport } from '@cloche/contract/design';
import { texts } from '../i18n/en.ts';
import { formatBytes, formatInteger, formatMilliseconds } from '../ui/format.ts';

type Bar = { label: string; value: number; text: string };

/** What processing has made of the file, as bars with their numbers. */
export function DesignReport({ report }: { report: NonNullable<Design['report']> }) {
  const { before, after, previewBytes, levels, steps, warnings } = report;
  const toBytesBar = (label: string, bytes: number): Bar => ({
    label,
    value: bytes,
    text: formatBytes(bytes),
  });
  return (
    <section className="card" aria-labelledby="report-heading">
      <h2 id="report-heading">{texts.design.report}</h2>
      <div className="design-charts">
        <BarChart
          title={texts.design.size}
          bars={[
            toBytesBar(texts.design.sourceFile, before.bytes),
            toBytesBar(texts.design.model, after.bytes),
            ...(previewBytes === undefined ? [] : [toBytesBar(texts.design.preview, previewBytes)]),
          ]}
        />
        <BarChart
          title={texts.design.triangles}
          bars={[
            toCountBar(texts.design.sourceFile, before.triangles),
            toCountBar(texts.design.model, after.triangles),
          ]}
        />
        {levels && <BarChart title={texts.design.levels} bars={toLevelBars(levels)} />}
        {steps.length > 0 && <BarChart title={texts.design.steps} bars={toStepBars(steps)} />}
      </div>
      <p className="hint">
        {texts.design.contents(after.materials, after.textures, after.animations, after.variants)}
      </p>
      {warnings.length > 0 && (
        <>
          <h3>{texts.design.warnings}</h3>
          <ul>
            {warnings.map(({ message }, index) => (
              <li key={index}>
                <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const toCountBar = (label: string, value: number): Bar => ({
  label,
  value,
  text: formatInteger(value),
});

const toStepBars = (steps: ProcessingReport['steps']): Bar[] =>
  steps.map(({ name, durationMs }) => ({
    label: name,
    value: durationMs,
    text: formatMilliseconds(durationMs),
  }));

function toLevelBars({ geometries, textures }: NonNullable<ProcessingReport['levels']>): Bar[] {
  return [
    ...geometries.map(({ triangles, bytes }) => ({
      label: texts.design.geometryLevel(formatInteger(triangles)),
      value: bytes,
      text: formatBytes(bytes),
    })),
    ...textures.map(({ size, imageSize = size, bytes }) => ({
      label: texts.design.textureLevel(imageSize),
      value: bytes,
      text: formatBytes(bytes),
    })),
  ];
}

/** Horizontal bars. The numbers are texts, so the bars themselves are hidden from screen readers. */
function BarChart({ title, bars }: { title: string; bars: readonly Bar[] }) {
  const maximum = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div>
      <h3>{title}</h3>
      <dl className="design-bars">
        {/* Two bars may have the same label. */}
        {bars.map(({ label, value, text }, index) => (
          <div key={index}>
            <dt>{label}</dt>
            <dd>
              <span
                className="design-bar"
                aria-hidden="true"
                style={{ width: `${(100 * value) / maximum}%` }}
              />
              {text}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
