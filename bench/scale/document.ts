import { makeBox } from '@cloche/pipeline/testing/models';
import type { DemoService } from '../../demo/demo-service.ts';
import { startPostgresServer } from '../../server/testing/postgres-server.ts';
import { createRequests } from '../embed-requests.ts';
import type { Measurement } from '../measurement.ts';
import { alternate, poolRounds, type Round, sumPerCost } from '../pooled-ratio.ts';
import { countRequests, type RepeatedRequest } from '../request-rate.ts';
import { createNodeSettings, startService } from './nodes.ts';

/** Short rounds: what else runs on the machine then has the same share of both rounds of a pair. */
const [WARM_UP_ROUNDS, ROUNDS, ROUND_SECONDS] = [16, 60, 0.25];

type Target = { origin: string; pid: number; request: RepeatedRequest };

/** Compares the requests for a framed document per second of processor time with PostgreSQL and with SQLite. */
export async function measureDocument(): Promise<Measurement[]> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await startPostgresServer());
  const settings = { ...(await createNodeSettings(resources)), CLOCHE_DATABASE_URL: url };
  const targets = [
    await createTarget(await startService(resources, settings)),
    await createTarget(await startService(resources, {})),
  ];
  const rounds: [Round[], Round[]] = [[], []];
  const plan = { warmUpRounds: WARM_UP_ROUNDS, rounds: ROUNDS, count: targets.length };
  await alternate(plan, async (index, round) => {
    const target = targets[index] as Target;
    const result = await countRequests(target, target.request, ROUND_SECONDS);
    if (round >= 0) rounds[index as 0 | 1].push(result);
  });
  const { ratio, spread } = poolRounds(...rounds);
  const rates = rounds.map((list) => Math.round(sumPerCost(list)));
  return [
    {
      label: 'framed document, PostgreSQL / SQLite',
      value: ratio,
      unit: '',
      atLeast: 0.95,
      spread,
      detail: `${rates[0]} and ${rates[1]} requests/CPU-s, in all of ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s`,
    },
  ];
}

/** Addressed by IP, so that resolving "localhost" is not measured. */
async function createTarget(service: DemoService): Promise<Target> {
  const origin = service.origin.replace('localhost', '127.0.0.1');
  const { document } = await createRequests(origin, service, makeBox({ textured: true }));
  return { origin, pid: service.pid, request: document.target };
}
