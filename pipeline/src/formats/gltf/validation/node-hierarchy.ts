import { composeMatrix, IDENTITY_MATRIX, type Matrix4 } from '../../../mesh/matrix.ts';
import { assertWithinLimit } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import { findExtension } from './extensions.ts';
import { type GltfInstances, parseInstances } from './instances.ts';
import type { GltfMesh } from './meshes.ts';
import type { GltfSkin } from './skins.ts';
import type { ValidationContext } from './validation-context.ts';

/** A validated node. */
export type GltfNode = {
  readonly json: JsonNode;
  /** From the node's space to its parent's. */
  readonly localMatrix: Matrix4;
  readonly mesh: GltfMesh | undefined;
  readonly skin: GltfSkin | undefined;
  readonly instances: GltfInstances | undefined;
};

/** The nodes and their hierarchy, which has no cycles and a bounded depth. */
export type NodeHierarchy = {
  readonly nodes: readonly GltfNode[];
  /** The parent of each node, by index; -1 for a root. */
  readonly parents: Int32Array;
  /** All node indices, parents before their children. */
  readonly topologicalOrder: Int32Array;
};

type NodeDependencies = { meshes: GltfMesh[]; skins: GltfSkin[] };

/** Reads the nodes and checks that their hierarchy is a forest. */
export function parseNodes(
  context: ValidationContext,
  dependencies: NodeDependencies,
): NodeHierarchy {
  const nodeList = context.document.nodes;
  const lights = parseLights(context);
  const nodes = nodeList.map((json) => parseNode(json, lights, context, dependencies));
  return { nodes, ...sortTopologically(nodeList, context) };
}

function parseNode(
  json: JsonNode,
  lights: JsonNode[],
  context: ValidationContext,
  { meshes, skins }: NodeDependencies,
): GltfNode {
  const mesh = json.find('mesh')?.resolveIndex(meshes, 'meshes');
  json.find('camera')?.resolveIndex(context.document.cameras, 'cameras');
  findExtension(json, 'KHR_lights_punctual')?.find('light')?.resolveIndex(lights, 'lights');
  // The viewer looks up a morph target for each weight, so there must be one.
  json.find('weights')?.numbers(mesh?.morphTargetCount ?? 0);
  return {
    json,
    localMatrix: parseTransform(json),
    mesh,
    skin: json.find('skin')?.resolveIndex(skins, 'skins'),
    instances: parseInstances(json, context),
  };
}

function parseTransform(json: JsonNode): Matrix4 {
  const matrix = json.find('matrix')?.numbers(16);
  const translation = json.find('translation')?.numbers(3);
  const rotation = json.find('rotation')?.numbers(4);
  const scale = json.find('scale')?.numbers(3);
  if (matrix === undefined) {
    if (!translation && !rotation && !scale) return IDENTITY_MATRIX;
    return composeMatrix(translation ?? [], rotation ?? [], scale ?? []);
  }
  if (translation || rotation || scale) {
    json.fail('transform', 'has both a matrix and a translation, rotation or scale');
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

function parseParents(
  nodeList: readonly JsonNode[],
  children: readonly (readonly JsonNode[])[],
): Int32Array {
  const parents = new Int32Array(nodeList.length).fill(-1);
  for (const [index, list] of children.entries()) {
    for (const child of list) {
      child.resolveIndex(nodeList, 'nodes');
      const childIndex = child.integer();
      if (parents[childIndex] !== -1)
        child.fail('two-parents', `is ${childIndex}, a node that already has a parent`);
      parents[childIndex] = index;
    }
  }
  return parents;
}

/** Sorts without recursion, because a chain of nodes may be as long as the file. */
function sortTopologically(
  nodeList: readonly JsonNode[],
  { budget }: ValidationContext,
): Omit<NodeHierarchy, 'nodes'> {
  const children = nodeList.map((json) => json.find('children')?.items() ?? []);
  const parents = parseParents(nodeList, children);
  const depths = new Int32Array(nodeList.length);
  const topologicalOrder = new Int32Array(nodeList.length);
  let length = 0;
  for (const [index, parent] of parents.entries())
    if (parent === -1) topologicalOrder[length++] = index;
  for (let position = 0; position < length; position++) {
    const index = topologicalOrder[position] ?? 0;
    const depth = (depths[index] ?? 0) + 1;
    assertWithinLimit('nodeDepth', depth, budget.limits, nodeList[index]);
    for (const child of children[index] ?? []) {
      depths[child.integer()] = depth;
      topologicalOrder[length++] = child.integer();
    }
  }
  // Each node has one parent at most, so nodes that no root reaches form a cycle.
  if (length < nodeList.length) {
    const reached = new Set(topologicalOrder.subarray(0, length));
    nodeList.find((_, index) => !reached.has(index))?.fail('cycle', 'is among its own ancestors');
  }
  return { parents, topologicalOrder };
}
