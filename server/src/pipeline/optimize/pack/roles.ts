import type { GLTF } from '@gltf-transform/core';

/** What an accessor is for; it decides how its numbers may be rounded, and how they are packed. */
export type Role =
  | { kind: 'indices'; triangles: boolean }
  | { kind: 'vertex'; semantic: string; morph: boolean }
  | { kind: 'times' }
  | { kind: 'track'; path: string; cubic: boolean }
  | { kind: 'instances'; semantic: string }
  | { kind: 'binding' }
  | { kind: 'other' };

type Instancing = { attributes?: Record<string, number> };

/** Finds the role of each accessor, by its index. One with several roles has the role `other`. */
export function findRoles(json: GLTF.IGLTF): Map<number, Role> {
  const roles = new Map<number, Role>();
  const give = (index: number | undefined, role: Role) => {
    if (index === undefined) return;
    const had = roles.get(index);
    roles.set(index, had === undefined ? role : merge(had, role));
  };
  for (const mesh of json.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      give(primitive.indices, { kind: 'indices', triangles: (primitive.mode ?? 4) === 4 });
      for (const [semantic, index] of Object.entries(primitive.attributes)) {
        give(index, { kind: 'vertex', semantic, morph: false });
      }
      for (const [semantic, index] of (primitive.targets ?? []).flatMap(Object.entries)) {
        give(index as number, { kind: 'vertex', semantic, morph: true });
      }
    }
  }
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler: at, target } of channels) {
      const sampler = samplers[at];
      const cubic = sampler?.interpolation === 'CUBICSPLINE';
      give(sampler?.input, { kind: 'times' });
      give(sampler?.output, { kind: 'track', path: target.path, cubic });
    }
  }
  for (const { inverseBindMatrices } of json.skins ?? []) {
    give(inverseBindMatrices, { kind: 'binding' });
  }
  for (const node of json.nodes ?? []) {
    const instancing = node.extensions?.EXT_mesh_gpu_instancing as Instancing | undefined;
    for (const [semantic, index] of Object.entries(instancing?.attributes ?? {})) {
      give(index, { kind: 'instances', semantic });
    }
  }
  return roles;
}

function merge(one: Role, other: Role): Role {
  if (one.kind === 'indices' && other.kind === 'indices') {
    return { kind: 'indices', triangles: one.triangles && other.triangles };
  }
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  // Still numbers of a vertex, which glTF wants in buffer views of their own.
  if (one.kind === 'vertex' && other.kind === 'vertex') {
    return { kind: 'vertex', semantic: '', morph: true };
  }
  return { kind: 'other' };
}
