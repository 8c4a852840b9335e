import type { FastifyInstance } from 'fastify';
import { type Arrival, isOver } from './arrival.ts';
import type { Arrivals } from './arrivals.ts';
import type { Finisher } from './finish.ts';
import type { Locks } from './locks.ts';

type Given = { arrivals: Arrivals; locks: Locks; finisher: Finisher; now: () => Date };

const SWEEP_MS = 60 * 60 * 1000;

/** Finishes at the start what a crash left whole, and removes now and then what is over. */
export function keepInOrder(app: FastifyInstance, given: Given): void {
  let isStopping = false;
  let working: Promise<void> = Promise.resolve();
  const begin = (work: () => Promise<void>) => {
    const fail = (error: unknown) => app.log.error({ err: error }, 'keeping uploads failed');
    working = working.then(work).catch(fail);
  };
  const timer = setInterval(() => begin(() => sweepUploads(given, app.log)), SWEEP_MS).unref();

  app.addHook('onReady', async () => {
    begin(async () => {
      for (const arrival of given.arrivals.all()) {
        if (isStopping) return;
        await finishWhole(given, arrival, app.log);
      }
    });
  });
  app.addHook('onClose', async () => {
    isStopping = true;
    clearInterval(timer);
    await working;
    await given.finisher.idle();
  });
}

type Log = Pick<FastifyInstance['log'], 'info' | 'error'>;

async function finishWhole({ arrivals, finisher }: Given, arrival: Arrival, log: Log) {
  const { id, sizeBytes, outcome } = arrival;
  if (outcome !== undefined || (await arrivals.offsetOf(arrival)) !== sizeBytes) return;
  try {
    const now = await finisher.finish(id);
    log.info({ upload: id, ...now }, 'finished an upload that was whole at the start');
  } catch (error) {
    // Tried again when its owner asks, or at the next start.
    log.error({ err: error, upload: id }, 'could not finish an upload');
  }
}

/** Removes what is over and not just now in use; tells how many of them were not finished. */
export async function sweepUploads(
  { arrivals, locks, now }: Omit<Given, 'finisher'>,
  log: Log,
): Promise<void> {
  const over = arrivals.all().filter((one) => isOver(one, now()) && !locks.isHeld(one.id));
  for (const { id } of over) await arrivals.remove(id);
  const unfinished = over.filter(({ outcome }) => outcome === undefined).length;
  if (unfinished > 0) log.info({ swept: unfinished }, 'removed uploads that were not finished');
}
