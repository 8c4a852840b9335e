import { Problem } from '@cloche/contract/problem';
import type { Document, Primitive } from '@gltf-transform/core';
import { countPrimitiveTriangles, findDefaultScene } from './model-counts.ts';
import { isTriangleList, isTriangleStripOrFan } from './primitive-modes.ts';

/**
 * Refuses a model that draws nothing: no triangle with an area, no line and no point.
 *
 * @throws {Problem} design.unreadable
 */
export function assertVisible(document: Document): void {
  let isVisible = false;
  findDefaultScene(document)?.traverse((node) => {
    isVisible ||= node.getMesh()?.listPrimitives().some(drawsSomething) ?? false;
  });
  if (isVisible) return;
  const hasBones =
    document.getRoot().listSkins().length > 0 || document.getRoot().listNodes().length > 1;
  const content = hasBones
    ? 'only bones, empty nodes, cameras or lights'
    : 'no triangles with an area';
  throw new Problem('design.unreadable', {
    detail: `The file has no visible surface: it contains ${content}. Export it again together with its meshes.`,
    reason: 'empty',
  });
}

function drawsSomething(primitive: Primitive): boolean {
  if (isTriangleList(primitive) || isTriangleStripOrFan(primitive))
    return countPrimitiveTriangles(primitive) > 0;
  return (primitive.getIndices() ?? primitive.getAttribute('POSITION'))?.getCount() !== 0;
}
