import type { Framed } from '@cloche/contract/framed';
import type { Outline } from './framing.ts';
import { tameLamps } from './lamps.ts';
import { type Model, readModel } from './model.ts';
import { areAlike, fitToBox, measure } from './outline.ts';
import type { Stage } from './stage.ts';
import { dismiss, waitInWings } from './wings.ts';

/** A model that may go on stage. */
export type Player = { model: Model; outline: Outline };

/** Reads a file, measures it, and dims its lamps. @throws {Trouble} as `readModel`, and empty */
export async function rehearse(
  file: ArrayBuffer,
  stage: Stage,
  { model: { bounds } }: Framed,
): Promise<Player> {
  const model = await readModel(file, stage.renderer);
  const measured = measure(model.root);
  const outline = bounds === undefined ? measured : fitToBox(measured, bounds);
  tameLamps(model.root, outline);
  return { model, outline };
}

/** The first to come on stage, and the first to be seen. */
export function enter({ model, outline }: Player, stage: Stage, page: Document): void {
  model.standBackdrop?.(stage, page);
  stage.show(model.root, outline);
  performance.mark('cloche-first-frame');
}

/**
 * The next one takes the place of the one before, in one frame and under the same camera; says
 * whether that was so. Where they are not alike, the camera goes where the next one is well seen.
 */
export async function takeOver(
  { model, outline }: Player,
  before: Player,
  { stage, page }: { stage: Stage; page: Document },
): Promise<boolean> {
  await waitInWings(model.root, stage);
  if (before.model.standBackdrop === undefined) model.standBackdrop?.(stage, page);
  const alike = areAlike(stage.outline, outline);
  if (alike) stage.swap(model.root);
  else stage.show(model.root, outline);
  dismiss(before.model.root);
  return alike;
}
