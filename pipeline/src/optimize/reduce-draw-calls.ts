/**
 * Which nodes a design may lose, so that it draws fast.
 *
 * A name is a promise: people point at parts by their names, and annotations, animations and
 * variants find them so. Up to FEW_DRAWS nothing is changed: no visitor's machine feels those. Beyond
 * that, copies of a mesh become batches, which keep the names of their copies, and meshes of nodes
 * without a name are joined where their material is the same. Parts that differ and have names stay
 * apart, however many; past MANY_DRAWS the owner is told.
 */

import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Node } from '@gltf-transform/core';
import { join } from '@gltf-transform/functions';
import { instanceMeshes } from './instance-meshes.ts';
import { countDrawCalls, findDefaultScene } from './model-counts.ts';

const DRAW_CALL_BUDGET = 50;
const DRAW_CALL_WARNING_THRESHOLD = 2000;

/** Draws more with fewer calls, where no name is lost by it. */
export async function reduceDrawCalls(document: Document): Promise<ProcessingWarning[]> {
  if (countDrawCalls(findDefaultScene(document)) <= DRAW_CALL_BUDGET) return [];
  instanceMeshes(document);
  const variants = document
    .getRoot()
    .listExtensionsUsed()
    .some((it) => it.extensionName === 'KHR_materials_variants');
  const left = countDrawCalls(findDefaultScene(document));
  // Joining looks at the material alone, not at what a variant would make of it.
  if (left > DRAW_CALL_BUDGET && !variants) {
    await document.transform(join({ keepNamed: true, cleanup: false, filter: isTriangleList }));
  }
  const draws = countDrawCalls(findDefaultScene(document));
  if (draws <= DRAW_CALL_WARNING_THRESHOLD) return [];
  const message = `The design has ${draws} parts that are drawn one by one; on phones it will turn slowly.`;
  return [{ code: 'parts.many', message }];
}

/** Strips and points would be joined by an extension that the viewer does not read. */
function isTriangleList(node: Node): boolean {
  return (
    node
      .getMesh()
      ?.listPrimitives()
      .every((it) => it.getMode() === 4) ?? false
  );
}
