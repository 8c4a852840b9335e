import type { FastifyInstance } from 'fastify';
import type { Logger } from '../http/log.ts';
import { type Arrival, isOver } from './arrival.ts';
import type { Arrivals } from './arrivals.ts';
import type { Finisher } from './finish.ts';
import type { Locks } from './locks.ts';

type Given = {
  arrivals: Arrivals;
  locks: Locks;
  finisher: Finisher;
  log: Pick<Logger, 'info' | 'error'>;
  now: () => Date;
};

const SWEEP_MS = 60 * 60 * 1000;

/** Finishes at the start what a crash left whole, and removes now and then what is over. */
export function keepInOrder(app: FastifyInstance, given: Given): void {
  let isStopping = false;
  let working: Promise<void> = Promise.resolve();
  const begin = (work: () => Promise<void>) => {
    const fail = (error: unknown) => given.log.error({ err: error }, 'keeping uploads failed');
    working = working.then(work).catch(fail);
  };
  const timer = setInterval(() => begin(() => sweepUploads(given)), SWEEP_MS).unref();

  app.addHook('onReady', async () => {
    begin(async () => {
      for (const arrival of given.arrivals.all()) {
        if (isStopping) return;
        await finishWhole(given, arrival);
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

async function finishWhole({ arrivals, finisher, log }: Given, arrival: Arrival) {
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
export async function sweepUploads({
  arrivals,
  locks,
  log,
  now,
}: Omit<Given, 'finisher'>): Promise<void> {
  const over = arrivals.all().filter((one) => isOver(one, now()) && !locks.isHeld(one.id));
  for (const { id } of over) await arrivals.remove(id);
  const unfinished = over.filter(({ outcome }) => outcome === undefined).length;
  if (unfinished > 0) log.info({ swept: unfinished }, 'removed uploads that were not finished');
}
