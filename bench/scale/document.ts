import { makeBox } from '@cloche/pipeline/testing/models';
import type { DemoService } from '../../demo/demo-service.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { bindToLastProcessor } from '../bind-to-processor.ts';
import { createRequests } from '../embed-requests.ts';
import type { Measurement } from '../measurement.ts';
import { poolRounds, type Round, sumPerCost } from '../pooled-ratio.ts';
import { countRequests, type RepeatedRequest } from '../request-rate.ts';
import { createNodeSettings, startService } from './nodes.ts';

/**
 * V8 compiles and collects garbage a little differently in each process, so that two processes of the same installation differ by several
 * percent: many short-lived pairs of processes say more than many rounds with one pair. In half of the pairs, PostgreSQL is first.
 */
const PAIRS = 40;
/** The requests of a process. Before these, V8 compiles. */
const [WARM_UP_REQUESTS, REQUESTS] = [30_000, 30_000];
const ROUND_SECONDS = 1;

type Target = { origin: string; pid: number; request: RepeatedRequest };

/** Compares the requests for a framed document per second of processor time with PostgreSQL and with SQLite. */
export async function measureDocument(): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await startPostgresServer());
  const settings = { ...(await createNodeSettings(resources)), CLOCHE_DATABASE_URL: url };
  const pairs: (readonly [Round, Round])[] = [];
  for (let count = 0; count < PAIRS / 2; count += 1) {
    pairs.push(await measurePair(settings, {}));
    const [sqlite, postgres] = await measurePair({}, settings);
    pairs.push([postgres, sqlite]);
  }
  const [postgres, sqlite] = [pairs.map(([first]) => first), pairs.map(([, second]) => second)];
  const { ratio, spread } = poolRounds(postgres, sqlite);
  const rates = [postgres, sqlite].map((rounds) => Math.round(sumPerCost(rounds)));
  const ratios = pairs.map(([ours, other]) => sumPerCost([ours]) / sumPerCost([other]));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((value) => value.toFixed(2));
  return [
    {
      label: 'framed document, PostgreSQL / SQLite',
      value: ratio,
      unit: '',
      atLeast: 0.95,
      spread,
      detail: `${rates[0]} and ${rates[1]} requests/CPU-s, at least ${REQUESTS} requests to each of ${PAIRS} pairs of processes; ${least} to ${most} in one pair`,
    },
  ];
}

/**
 * Starts two processes with these settings. Both serve requests at the same time and on the same processor, so that all conditions are
 * the same for both, but for one: of two processes with SQLite, the one that was started first needs about 2 % more time. Neither is
 * idle: then V8 would return memory to the system, which costs time later.
 */
async function measurePair(
  ...settings: readonly [Record<string, string>, Record<string, string>]
): Promise<readonly [Round, Round]> {
  await using resources = new AsyncDisposableStack();
  const first = await createTarget(await startService(resources, settings[0]));
  const second = await createTarget(await startService(resources, settings[1]));
  for (const { pid } of [first, second]) bindToLastProcessor(pid);
  await serveAtOnce([first, second], WARM_UP_REQUESTS);
  // Awaited here: the processes are stopped when this function returns.
  return await serveAtOnce([first, second], REQUESTS);
}

/** Sends requests to both at the same time, until each has served as many. */
async function serveAtOnce(
  targets: readonly [Target, Target],
  requests: number,
): Promise<readonly [Round, Round]> {
  const totals: readonly [Round, Round] = [
    { done: 0, cost: 0 },
    { done: 0, cost: 0 },
  ];
  while (totals.some(({ done }) => done < requests)) {
    await Promise.all(
      targets.map(async (target, index) => {
        const { done, cost } = await countRequests(target, target.request, ROUND_SECONDS);
        const total = totals[index as 0 | 1];
        total.done += done;
        total.cost += cost;
      }),
    );
  }
  return totals;
}

/** Addressed by IP, so that resolving "localhost" is not measured. */
async function createTarget(service: DemoService): Promise<Target> {
  const origin = service.origin.replace('localhost', '127.0.0.1');
  const { document } = await createRequests(origin, service, makeBox({ textured: true }));
  return { origin, pid: service.pid, request: document.target };
}
