import type { Document, Node } from '@gltf-transform/core';
// @ts-expect-error: it comes without types
import validator from 'gltf-validator';
import { openIo } from '../../server/src/pipeline/io.ts';
import { sceneBounds } from '../../server/src/pipeline/optimize/bounds.ts';
import { countFacts } from '../../server/src/pipeline/optimize/facts.ts';
import { describeModel } from '../../server/testing/formats/describe.ts';

/** In words, what of an upload is in the model made of it. */
export async function describeKept(upload: Uint8Array, model: Uint8Array): Promise<string> {
  const io = await openIo();
  const [before, after] = [await io.readBinary(upload), await io.readBinary(model)];
  const [had, has] = [factsOf(before), factsOf(after)];
  const { issues } = await validator.validateBytes(model);
  return [
    `bounds off by ${(100 * boundsOff(before, after)).toFixed(3)} %`,
    `triangles ${has.triangles} of ${had.triangles}`,
    `materials ${count(has.colours, had.colours)}`,
    `names of nodes ${count(has.names, had.names)}`,
    `animations ${count(has.animations, had.animations)}`,
    `${issues.numErrors} errors of the validator`,
  ].join(', ');
}

function factsOf(document: Document) {
  const { materials, nodes, animations } = describeModel(document);
  return {
    triangles: countFacts(document).triangles,
    colours: materials.map(({ colour }) => colour.map((part) => part.toFixed(2)).join(' ')),
    // A batch of copies has their names beside it.
    names: [...nodes, ...document.getRoot().listNodes().flatMap(namesBeside)].filter(Boolean),
    animations,
  };
}

function namesBeside(node: Node): string[] {
  const { names } = node.getExtras();
  return Array.isArray(names) ? names.map(String) : [];
}

/** How many of those that were are there. */
function count(has: readonly string[], had: readonly string[]): string {
  const left = [...has];
  const kept = had.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return `${kept.length} of ${had.length}`;
}

/** The most that a side of the box moved, of its longest. */
function boundsOff(before: Document, after: Document): number {
  const [had, has] = [sceneBounds(before), sceneBounds(after)];
  if (had === undefined || has === undefined) return had === has ? 0 : 1;
  const longest = Math.max(...had.max.map((end, axis) => end - (had.min[axis] ?? 0)));
  const moved = [0, 1, 2].flatMap((axis) => [
    Math.abs((had.min[axis] ?? 0) - (has.min[axis] ?? 0)),
    Math.abs((had.max[axis] ?? 0) - (has.max[axis] ?? 0)),
  ]);
  return Math.max(...moved) / longest;
}
