import { composeMatrix, IDENTITY_MATRIX, type Matrix4 } from '../../../mesh/matrix.ts';
import { assertWithinLimit } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import { findExtension } from './extensions.ts';
import { type GltfInstances, parseInstances } from './instances.ts';
import type { GltfMesh } from './meshes.ts';
import type { GltfSkin } from './skins.ts';
import type { ValidationContext } from './validation-context.ts';

export type GltfNode = {
  readonly json: JsonNode;
  /** From the node's space to its parent's. */
  readonly localMatrix: Matrix4;
  readonly mesh: GltfMesh | undefined;
  readonly skin: GltfSkin | undefined;
  readonly instances: GltfInstances | undefined;
};

/** The nodes, and how they hang together: a forest, of bounded depth. */
export type NodeHierarchy = {
  readonly nodes: readonly GltfNode[];
  /** For each node the index of its parent; -1 for a root. */
  readonly parents: Int32Array;
  /** All indices, each parent before its children. */
  readonly topologicalOrder: Int32Array;
};

type NodeDependencies = { meshes: GltfMesh[]; skins: GltfSkin[] };

export function parseNodes(survey: ValidationContext, things: NodeDependencies): NodeHierarchy {
  const parts = survey.document.nodes;
  const lights = parseLights(survey);
  const nodes = parts.map((part) => parseNode(part, lights, survey, things));
  return { nodes, ...sortTopologically(parts, survey) };
}

function parseNode(
  json: JsonNode,
  lights: JsonNode[],
  survey: ValidationContext,
  { meshes, skins }: NodeDependencies,
): GltfNode {
  const mesh = json.find('mesh')?.resolveIndex(meshes, 'meshes');
  json.find('camera')?.resolveIndex(survey.document.cameras, 'cameras');
  findExtension(json, 'KHR_lights_punctual')?.find('light')?.resolveIndex(lights, 'lights');
  // The viewer writes each weight into its morph target, so there must be one.
  json.find('weights')?.numbers(mesh?.morphTargetCount ?? 0);
  return {
    json,
    localMatrix: parseTransform(json),
    mesh,
    skin: json.find('skin')?.resolveIndex(skins, 'skins'),
    instances: parseInstances(json, survey),
  };
}

function parseTransform(part: JsonNode): Matrix4 {
  const matrix = part.find('matrix')?.numbers(16);
  const translation = part.find('translation')?.numbers(3);
  const rotation = part.find('rotation')?.numbers(4);
  const scale = part.find('scale')?.numbers(3);
  if (matrix === undefined) {
    if (!translation && !rotation && !scale) return IDENTITY_MATRIX;
    return composeMatrix(translation ?? [], rotation ?? [], scale ?? []);
  }
  if (translation || rotation || scale) {
    part.fail('transform', 'has both a matrix and a translation, rotation or scale');
  }
  return matrix;
}

function parseLights({ document: { root } }: ValidationContext): JsonNode[] {
  const lights = findExtension(root, 'KHR_lights_punctual')?.get('lights').items() ?? [];
  for (const light of lights) {
    light.get('type').oneOf('directional', 'point', 'spot');
    light.find('name')?.string();
    light.find('color')?.numbers(3);
    for (const key of ['intensity', 'range']) light.find(key)?.number();
    const spot = light.find('spot');
    for (const key of ['innerConeAngle', 'outerConeAngle']) spot?.find(key)?.number();
  }
  return lights;
}

/** Finds parents and an order without recursion: a chain may be as long as the file. */
function sortTopologically(
  parts: readonly JsonNode[],
  { budget }: ValidationContext,
): Omit<NodeHierarchy, 'nodes'> {
  const children = parts.map((part) => part.find('children')?.items() ?? []);
  const parents = new Int32Array(parts.length).fill(-1);
  for (const [index, list] of children.entries()) {
    for (const child of list) {
      child.resolveIndex(parts, 'nodes');
      const at = child.integer();
      if (parents[at] !== -1)
        child.fail('two-parents', `is ${at}, a node that has a parent already`);
      parents[at] = index;
    }
  }

  const depths = new Int32Array(parts.length);
  const topologicalOrder = new Int32Array(parts.length);
  let length = 0;
  for (const [index, parent] of parents.entries())
    if (parent === -1) topologicalOrder[length++] = index;
  for (let done = 0; done < length; done++) {
    const index = topologicalOrder[done] ?? 0;
    const depth = (depths[index] ?? 0) + 1;
    assertWithinLimit('nodeDepth', depth, budget.limits, parts[index]);
    for (const child of children[index] ?? []) {
      depths[child.integer()] = depth;
      topologicalOrder[length++] = child.integer();
    }
  }
  // With one parent each, what no root reaches goes round in a circle.
  if (length < parts.length) {
    const reached = new Set(topologicalOrder.subarray(0, length));
    parts.find((_, index) => !reached.has(index))?.fail('cycle', 'is among its own ancestors');
  }
  return { parents, topologicalOrder };
}
