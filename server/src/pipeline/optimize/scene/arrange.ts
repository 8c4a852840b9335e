/**
 * Which nodes a design may lose, so that it draws fast.
 *
 * A name is a promise: people point at parts by their names, and annotations, animations and
 * variants find them so. Up to FEW_DRAWS nothing is changed: no visitor's machine feels those. Beyond
 * that, copies of a mesh become batches, which keep the names of their copies, and meshes of nodes
 * without a name are joined where their material is the same. Parts that differ and have names stay
 * apart, however many; past MANY_DRAWS the owner is told.
 */
import type { Document, Node } from '@gltf-transform/core';
import { join } from '@gltf-transform/functions';
import type { Warning } from '../../report.ts';
import { countDraws, shownScene } from '../facts.ts';
import { instance } from './instance.ts';

const FEW_DRAWS = 50;
const MANY_DRAWS = 2000;

/** Draws more with fewer calls, where no name is lost by it. */
export async function arrange(document: Document): Promise<Warning[]> {
  if (countDraws(shownScene(document)) <= FEW_DRAWS) return [];
  instance(document);
  const variants = document
    .getRoot()
    .listExtensionsUsed()
    .some((it) => it.extensionName === 'KHR_materials_variants');
  const left = countDraws(shownScene(document));
  // Joining looks at the material alone, not at what a variant would make of it.
  if (left > FEW_DRAWS && !variants) {
    await document.transform(join({ keepNamed: true, cleanup: false, filter: isOfTriangles }));
  }
  const draws = countDraws(shownScene(document));
  if (draws <= MANY_DRAWS) return [];
  const message = `The design has ${draws} parts that are drawn one by one; on phones it will turn slowly.`;
  return [{ code: 'parts.many', message }];
}

/** Strips and points would be joined by an extension that the viewer does not read. */
function isOfTriangles(node: Node): boolean {
  return (
    node
      .getMesh()
      ?.listPrimitives()
      .every((it) => it.getMode() === 4) ?? false
  );
}
