import type { Sample } from './results.ts';
import type { Visit } from './visit.ts';

/** Combines a load with one that shows the canvas alone. */
export function combineVisits(visit: Visit, canvasVisit: Visit): Visit & Partial<Sample> {
  const { recognizableMs, recognizableBytes, fullMs, fullBytes } = canvasVisit;
  return {
    ...visit,
    canvasFullMs: fullMs,
    canvasFullBytes: fullBytes,
    ...(recognizableMs !== undefined && { first3dMs: recognizableMs }),
    ...(recognizableBytes !== undefined && { first3dBytes: recognizableBytes }),
  };
}
