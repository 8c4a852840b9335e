import type { Sample } from './results.ts';
import type { Visit } from './visit.ts';

/**
 * Combines a load with one that shows the canvas alone. The poster may equal the final picture, so the load is
 * full when the canvas of the other load is too.
 */
export function combineVisits(visit: Visit, canvasVisit: Visit): Visit & Partial<Sample> {
  const { recognizableMs, recognizableBytes } = canvasVisit;
  const { fullMs, fullBytes } = canvasVisit.fullMs > visit.fullMs ? canvasVisit : visit;
  return {
    ...visit,
    fullMs,
    fullBytes,
    ...(recognizableMs !== undefined && { first3dMs: recognizableMs }),
    ...(recognizableBytes !== undefined && { first3dBytes: recognizableBytes }),
  };
}
