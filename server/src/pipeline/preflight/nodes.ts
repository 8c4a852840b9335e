import { findExtension } from './extensions.ts';
import { findInstances, type Instances } from './instances.ts';
import { limit } from './limits.ts';
import { compose, IDENTITY, type Matrix } from './matrix.ts';
import type { Mesh } from './meshes.ts';
import type { Part } from './part.ts';
import type { Skin } from './skins.ts';
import type { Survey } from './survey.ts';

export type Node = {
  readonly part: Part;
  /** From the node's space to its parent's. */
  readonly local: Matrix;
  readonly mesh: Mesh | undefined;
  readonly skin: Skin | undefined;
  readonly instances: Instances | undefined;
};

/** The nodes, and how they hang together: a forest, of bounded depth. */
export type Forest = {
  readonly nodes: readonly Node[];
  /** For each node the index of its parent; -1 for a root. */
  readonly parents: Int32Array;
  /** All indices, each parent before its children. */
  readonly order: Int32Array;
};

type Things = { meshes: Mesh[]; skins: Skin[] };

export function readNodes(survey: Survey, things: Things): Forest {
  const parts = survey.document.nodes;
  const lights = readLights(survey);
  const nodes = parts.map((part) => readNode(part, lights, survey, things));
  return { nodes, ...arrange(parts, survey) };
}

function readNode(part: Part, lights: Part[], survey: Survey, { meshes, skins }: Things): Node {
  const mesh = part.find('mesh')?.pick(meshes, 'meshes');
  part.find('camera')?.pick(survey.document.cameras, 'cameras');
  findExtension(part, 'KHR_lights_punctual')?.find('light')?.pick(lights, 'lights');
  // The viewer writes each weight into its morph target, so there must be one.
  part.find('weights')?.numbers(mesh?.targets ?? 0);
  return {
    part,
    local: readTransform(part),
    mesh,
    skin: part.find('skin')?.pick(skins, 'skins'),
    instances: findInstances(part, survey),
  };
}

function readTransform(part: Part): Matrix {
  const matrix = part.find('matrix')?.numbers(16);
  const translation = part.find('translation')?.numbers(3);
  const rotation = part.find('rotation')?.numbers(4);
  const scale = part.find('scale')?.numbers(3);
  if (matrix === undefined) {
    if (!translation && !rotation && !scale) return IDENTITY;
    return compose(translation ?? [], rotation ?? [], scale ?? []);
  }
  if (translation || rotation || scale) {
    part.fail('transform', 'has both a matrix and a translation, rotation or scale');
  }
  return matrix;
}

function readLights({ document: { root } }: Survey): Part[] {
  const lights = findExtension(root, 'KHR_lights_punctual')?.get('lights').items() ?? [];
  for (const light of lights) {
    light.get('type').choice('directional', 'point', 'spot');
    light.find('name')?.text();
    light.find('color')?.numbers(3);
    for (const key of ['intensity', 'range']) light.find(key)?.number();
    const spot = light.find('spot');
    for (const key of ['innerConeAngle', 'outerConeAngle']) spot?.find(key)?.number();
  }
  return lights;
}

/** Finds parents and an order without recursion: a chain may be as long as the file. */
function arrange(parts: readonly Part[], { tally }: Survey): Omit<Forest, 'nodes'> {
  const children = parts.map((part) => part.find('children')?.items() ?? []);
  const parents = new Int32Array(parts.length).fill(-1);
  for (const [index, list] of children.entries()) {
    for (const child of list) {
      child.pick(parts, 'nodes');
      const at = child.integer();
      if (parents[at] !== -1)
        child.fail('two-parents', `is ${at}, a node that has a parent already`);
      parents[at] = index;
    }
  }

  const depths = new Int32Array(parts.length);
  const order = new Int32Array(parts.length);
  let length = 0;
  for (const [index, parent] of parents.entries()) if (parent === -1) order[length++] = index;
  for (let done = 0; done < length; done++) {
    const index = order[done] ?? 0;
    const depth = (depths[index] ?? 0) + 1;
    limit('nodeDepth', depth, tally.limits, parts[index]);
    for (const child of children[index] ?? []) {
      depths[child.integer()] = depth;
      order[length++] = child.integer();
    }
  }
  // With one parent each, what no root reaches goes round in a circle.
  if (length < parts.length) {
    const reached = new Set(order.subarray(0, length));
    parts.find((_, index) => !reached.has(index))?.fail('cycle', 'is among its own ancestors');
  }
  return { parents, order };
}
