import { operatorTexts } from '../i18n/en/operator.ts';
import { createLinesByName } from './create-lines-by-name.ts';
import { COUNTS, type PlotOfSamples, TIMES } from './plot-of-samples.ts';

const t = operatorTexts.metrics;

/** The plots about visitors, who open embeds. */
export const visitorPlots: Record<string, PlotOfSamples> = {
  gate: {
    title: t.gate.title,
    unit: t.perMinute,
    ...COUNTS,
    lines: [
      [t.gate.allowed, 'first', ({ gate }) => gate.allowed],
      [t.gate.refused, 'second', ({ gate }) => gate.refused],
    ],
  },
  refusals: {
    title: t.refusals.title,
    unit: t.refusals.unit,
    ...COUNTS,
    lines: (samples) =>
      createLinesByName(samples, ({ gate }) => ({ all: gate.refused, byName: gate.refusedByCode })),
    applies: (samples) => samples.some(({ gate }) => gate.refused > 0),
  },
};

/** The plots about requests. */
export const requestPlots: Record<string, PlotOfSamples> = {
  requests: {
    title: t.requests.title,
    unit: t.perMinute,
    ...COUNTS,
    lines: [
      [t.requests.success, 'first', ({ requests }) => requests.success],
      [t.requests.redirect, 'third', ({ requests }) => requests.redirect],
      [t.requests.clientError, 'second', ({ requests }) => requests.clientError],
      [t.requests.serverError, 'bad', ({ requests }) => requests.serverError],
      [t.requests.aborted, 'fourth', ({ requests }) => requests.aborted],
    ],
  },
  routes: {
    title: t.routes.title,
    unit: t.routes.unit,
    ...COUNTS,
    lines: (samples) =>
      createLinesByName(samples, ({ requests: { byRoute, ...byStatus } }) => ({
        all: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
        byName: byRoute,
      })),
  },
  latency: {
    title: t.latency.title,
    unit: t.milliseconds,
    ...TIMES,
    lines: [
      [t.median, 'first', ({ latencyMs }) => latencyMs.p50],
      [t.p95, 'second', ({ latencyMs }) => latencyMs.p95],
    ],
  },
};
