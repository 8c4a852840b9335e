import { createReadStream } from 'node:fs';
import { Problem } from '@cloche/contract/problem';
import { checkSha256 } from '../designs/checksum.ts';
import { type Design, makeDesign } from '../designs/design.ts';
import { type Intake, takeIn } from '../designs/intake.ts';
import type { Answers } from '../http/idempotency.ts';
import type { Arrival, Outcome } from './arrival.ts';
import type { Arrivals } from './arrivals.ts';

type Given = Intake & { arrivals: Arrivals; answers: Answers };

/** Makes designs of files that are all here. */
export type Finisher = {
  /**
   * What becomes of an upload: found out once, however often and by how many it is asked.
   * @throws what may pass: the upload is finished when it is asked the next time
   */
  finish(id: string): Promise<Outcome>;
  /** Settles when an upload, or none at all, is being finished. */
  idle(id?: string): Promise<void>;
};

export function openFinisher(given: Given): Finisher {
  const running = new Map<string, Promise<Outcome>>();
  return {
    finish(id) {
      const known = running.get(id);
      if (known !== undefined) return known;
      const started = finish(given, id).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    async idle(id) {
      await Promise.allSettled(id === undefined ? running.values() : [running.get(id)]);
    },
  };
}

async function finish(given: Given, id: string): Promise<Outcome> {
  const arrival = given.arrivals.find(id);
  if (arrival === undefined) throw new Problem('upload.unknown');
  if (arrival.outcome !== undefined) return arrival.outcome;
  const outcome = await take(given, arrival).then(
    (design): Outcome => ({ design }),
    (error: unknown): Outcome => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { problem: error.toJSON() };
    },
  );
  await given.arrivals.settle(id, outcome);
  return outcome;
}

/**
 * Takes the file in, the way of POST /v1/designs. The answer is kept in the transaction that makes the
 * design, so that a crash behind it makes no second one.
 */
async function take(given: Given, { id, user, wish }: Arrival): Promise<string> {
  const { arrivals, answers, blobs, designs, maxUploadBytes: maxBytes, now } = given;
  const retry = { secret: id, key: 'upload', fingerprint: id };
  const answer = await answers.once(retry, now(), async (keep) => {
    await using draft = await blobs.draft(createReadStream(arrivals.pathOf(id)), { maxBytes });
    checkSha256(draft.ref, wish.sha256);
    const known = wish.design === undefined ? undefined : await find(given, user, wish.design);
    const design = known ?? makeDesign({ user, name: wish.name }, now());
    const answer = { status: 204, location: undefined, body: design.id };
    await takeIn(given, draft, design, async (step) => {
      if (known === undefined) await designs.add(design, step);
      await keep(step, answer);
    });
    return answer;
  });
  return answer.body as string;
}

async function find({ designs }: Given, user: string, id: string): Promise<Design> {
  const design = await designs.find(id);
  if (design !== undefined && design.user === user) return design;
  throw new Problem('design.unknown', {
    detail: `The design ${id}, of which this file was to be the next revision, is no more.`,
  });
}
