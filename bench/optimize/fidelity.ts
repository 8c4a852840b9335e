import { createGltfIo } from '@cloche/pipeline/formats/gltf/gltf-io';
import { computeModelCounts } from '@cloche/pipeline/optimize/model-counts';
import { computeSceneBounds } from '@cloche/pipeline/optimize/scene-bounds';
import { describeModel } from '@cloche/pipeline/testing/formats/describe-model';
import type { Document, Node } from '@gltf-transform/core';
// @ts-expect-error: the package has no types
import validator from 'gltf-validator';

/** Describes how much of the content of a source file is in its processed model. */
export async function describeFidelity(sourceFile: Uint8Array, model: Uint8Array): Promise<string> {
  const io = await createGltfIo();
  const [before, after] = [await io.readBinary(sourceFile), await io.readBinary(model)];
  const [expected, actual] = [summarizeModel(before), summarizeModel(after)];
  const { issues } = await validator.validateBytes(model);
  return [
    `bounds differ by ${(100 * getBoundsError(before, after)).toFixed(3)} %`,
    `triangles ${actual.triangles} of ${expected.triangles}`,
    `materials ${formatRetained(actual.colors, expected.colors)}`,
    `node names ${formatRetained(actual.names, expected.names)}`,
    `animations ${formatRetained(actual.animations, expected.animations)}`,
    `${issues.numErrors} validation errors`,
  ].join(', ');
}

function summarizeModel(document: Document) {
  const { materials, nodes, animations } = describeModel(document);
  return {
    triangles: computeModelCounts(document).triangles,
    colors: materials.map(({ color }) => color.map((part) => part.toFixed(2)).join(' ')),
    // Instanced meshes have the names of their nodes in `extras`.
    names: [...nodes, ...document.getRoot().listNodes().flatMap(getInstanceNames)].filter(Boolean),
    animations,
  };
}

function getInstanceNames(node: Node): string[] {
  const { names } = node.getExtras();
  return Array.isArray(names) ? names.map(String) : [];
}

/** How many of the expected values are among the actual ones. */
function formatRetained(actual: readonly string[], expected: readonly string[]): string {
  const unmatched = [...actual];
  const retained = expected.filter((value) => {
    const index = unmatched.indexOf(value);
    if (index >= 0) unmatched.splice(index, 1);
    return index >= 0;
  });
  return `${retained.length} of ${expected.length}`;
}

/** The maximum movement of a side of the bounding box, relative to its longest side. */
function getBoundsError(before: Document, after: Document): number {
  const [expected, actual] = [computeSceneBounds(before), computeSceneBounds(after)];
  if (expected === undefined || actual === undefined) return expected === actual ? 0 : 1;
  const longest = Math.max(...expected.max.map((end, axis) => end - (expected.min[axis] ?? 0)));
  const distances = [0, 1, 2].flatMap((axis) => [
    Math.abs((expected.min[axis] ?? 0) - (actual.min[axis] ?? 0)),
    Math.abs((expected.max[axis] ?? 0) - (actual.max[axis] ?? 0)),
  ]);
  return Math.max(...distances) / longest;
}
