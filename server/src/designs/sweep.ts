import type { Blobs } from '../blobs/blobs.ts';
import type { Designs } from './designs.ts';

/** A blob is kept before its row is committed, so a fresh one may only look forgotten. */
const GRACE_MS = 24 * 60 * 60 * 1000;

/** Removes blobs that no design has had for a day. Tells how many. */
export async function sweepBlobs(blobs: Blobs, designs: Designs, now: Date): Promise<number> {
  let swept = 0;
  for await (const { ref, keptAt } of blobs.list()) {
    if (now.getTime() - keptAt.getTime() < GRACE_MS || (await designs.uses(ref))) continue;
    await blobs.remove(ref);
    swept += 1;
  }
  return swept;
}
