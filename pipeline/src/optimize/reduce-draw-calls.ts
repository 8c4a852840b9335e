/**
 * Merges nodes to reduce the number of draw calls.
 *
 * Names are kept: owners, annotations, animations and variants refer to parts by name. A model with up
 * to DRAW_CALL_BUDGET draw calls is not changed, because any device renders that many at full speed.
 * Otherwise copies of a mesh become instances, which keep the names of the copies, and meshes of
 * unnamed nodes with the same material are joined. Different named parts are never merged; above
 * DRAW_CALL_WARNING_THRESHOLD the owner gets a warning.
 */
import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document } from '@gltf-transform/core';
import { instanceMeshes } from './instance-meshes.ts';
import { joinMeshes } from './join-meshes.ts';
import { countDrawCalls, findDefaultScene } from './model-counts.ts';

const DRAW_CALL_BUDGET = 50;
const DRAW_CALL_WARNING_THRESHOLD = 2000;

/** Merges meshes to reduce the number of draw calls, without losing names. */
export async function reduceDrawCalls(document: Document): Promise<ProcessingWarning[]> {
  const countCurrentDrawCalls = () => countDrawCalls(findDefaultScene(document));
  if (countCurrentDrawCalls() <= DRAW_CALL_BUDGET) return [];
  instanceMeshes(document);
  const hasVariants = document
    .getRoot()
    .listExtensionsUsed()
    .some(({ extensionName }) => extensionName === 'KHR_materials_variants');
  // The materials of meshes are compared, but not those of their variants.
  if (countCurrentDrawCalls() > DRAW_CALL_BUDGET && !hasVariants) {
    await joinMeshes(document, { keepNamed: true });
  }
  const drawCalls = countCurrentDrawCalls();
  if (drawCalls <= DRAW_CALL_WARNING_THRESHOLD) return [];
  const message = `The design needs ${drawCalls} draw calls; it will be slow on phones.`;
  return [{ code: 'draw-calls.high', message }];
}
