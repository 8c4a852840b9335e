import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { computeModelCounts } from '@cloche/pipeline/optimize/model-counts';
import { computeSceneBounds } from '@cloche/pipeline/optimize/scene-bounds';
import { describeModel } from '@cloche/pipeline/testing/formats/describe-model';
import type { Document, Node } from '@gltf-transform/core';
// @ts-expect-error: it comes without types
import validator from 'gltf-validator';

/** In words, what of an upload is in the model made of it. */
export async function describeFidelity(upload: Uint8Array, model: Uint8Array): Promise<string> {
  const io = await createGltfIo();
  const [before, after] = [await io.readBinary(upload), await io.readBinary(model)];
  const [had, has] = [summarizeModel(before), summarizeModel(after)];
  const { issues } = await validator.validateBytes(model);
  return [
    `bounds off by ${(100 * getBoundsError(before, after)).toFixed(3)} %`,
    `triangles ${has.triangles} of ${had.triangles}`,
    `materials ${formatRetained(has.colors, had.colors)}`,
    `names of nodes ${formatRetained(has.names, had.names)}`,
    `animations ${formatRetained(has.animations, had.animations)}`,
    `${issues.numErrors} errors of the validator`,
  ].join(', ');
}

function summarizeModel(document: Document) {
  const { materials, nodes, animations } = describeModel(document);
  return {
    triangles: computeModelCounts(document).triangles,
    colors: materials.map(({ color }) => color.map((part) => part.toFixed(2)).join(' ')),
    // A batch of copies has their names beside it.
    names: [...nodes, ...document.getRoot().listNodes().flatMap(getInstanceNames)].filter(Boolean),
    animations,
  };
}

function getInstanceNames(node: Node): string[] {
  const { names } = node.getExtras();
  return Array.isArray(names) ? names.map(String) : [];
}

/** How many of those that were are there. */
function formatRetained(has: readonly string[], had: readonly string[]): string {
  const left = [...has];
  const kept = had.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return `${kept.length} of ${had.length}`;
}

/** The most that a side of the box moved, of its longest. */
function getBoundsError(before: Document, after: Document): number {
  const [had, has] = [computeSceneBounds(before), computeSceneBounds(after)];
  if (had === undefined || has === undefined) return had === has ? 0 : 1;
  const longest = Math.max(...had.max.map((end, axis) => end - (had.min[axis] ?? 0)));
  const moved = [0, 1, 2].flatMap((axis) => [
    Math.abs((had.min[axis] ?? 0) - (has.min[axis] ?? 0)),
    Math.abs((had.max[axis] ?? 0) - (has.max[axis] ?? 0)),
  ]);
  return Math.max(...moved) / longest;
}
