import type { MetricHistory } from '@cloche/contract/metric-history';
import { useMemo, useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';
import { LinePlot } from '../ui/line-plot.tsx';
import { createMetricPlots } from './metric-plots.ts';
import { QueryView } from './query-view.tsx';
import { useMetrics } from './use-metrics.ts';

const DAY_MS = 24 * 3_600_000;

/** Plots of the last day: of the whole service, or of one of its nodes. */
export function MetricsSection() {
  const { metrics: t } = operatorTexts;
  const [node, setNode] = useState('');
  const metrics = useMetrics(node === '' ? 'sum' : 'each');
  const nodes = metrics.data?.nodes ?? [];
  return (
    <section>
      <h2>{t.title}</h2>
      <p className="lead">{t.lead}</p>
      {nodes.length > 1 && (
        <div className="metrics-node">
          <Field label={t.node}>
            {(control) => (
              <select
                {...control}
                value={node}
                onChange={({ currentTarget }) => setNode(currentTarget.value)}
              >
                <option value="">{t.allNodes}</option>
                {nodes.map((id) => (
                  <option key={id}>{id}</option>
                ))}
              </select>
            )}
          </Field>
        </div>
      )}
      <QueryView query={metrics}>
        {(history) => <MetricPlots history={history} node={node} to={metrics.dataUpdatedAt} />}
      </QueryView>
    </section>
  );
}

type MetricPlotsProps = { history: MetricHistory; node: string; to: number };

function MetricPlots({ history, node, to }: MetricPlotsProps) {
  const { samples, intervalSeconds } = history;
  const { times, groups } = useMemo(() => {
    const shown = samples.filter((sample) => (sample.node ?? '') === node);
    return {
      times: shown.map(({ at }) => Date.parse(at)),
      groups: createMetricPlots(shown),
    };
  }, [samples, node]);
  if (times.length === 0) return <p>{texts.common.plot.none}</p>;
  // The clock of this browser may differ from that of the service.
  const end = Math.max(times.at(-1) ?? 0, to);
  const period = { times, from: end - DAY_MS, to: end, maxGapMs: intervalSeconds * 1500 };
  return groups.map(({ id, title, plots }) => (
    <section key={id} className="plot-group">
      <h3>{title}</h3>
      <div className="plots">
        {plots.map(({ id, ...plot }) => (
          <div key={id} className="card">
            <LinePlot {...plot} {...period} headingLevel={4} />
          </div>
        ))}
      </div>
    </section>
  ));
}
