import type { GLTF } from '@gltf-transform/core';

/** What an accessor is for; it decides how its numbers may be rounded, and how they are packed. */
export type AccessorUsage =
  | { kind: 'indices'; triangles: boolean }
  | { kind: 'vertex'; semantic: string; morphTarget: boolean }
  | { kind: 'times' }
  | { kind: 'track'; path: string; cubicSpline: boolean }
  | { kind: 'instances'; semantic: string }
  | { kind: 'binding' }
  | { kind: 'other' };

type GpuInstancing = { attributes?: Record<string, number> };

/** Finds the role of each accessor, by its index. One with several roles has the role `other`. */
export function findAccessorUsages(json: GLTF.IGLTF): Map<number, AccessorUsage> {
  const roles = new Map<number, AccessorUsage>();
  const give = (index: number | undefined, role: AccessorUsage) => {
    if (index === undefined) return;
    const had = roles.get(index);
    roles.set(index, had === undefined ? role : mergeUsages(had, role));
  };
  for (const mesh of json.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      give(primitive.indices, { kind: 'indices', triangles: (primitive.mode ?? 4) === 4 });
      for (const [semantic, index] of Object.entries(primitive.attributes)) {
        give(index, { kind: 'vertex', semantic, morphTarget: false });
      }
      for (const [semantic, index] of (primitive.targets ?? []).flatMap(Object.entries)) {
        give(index as number, { kind: 'vertex', semantic, morphTarget: true });
      }
    }
  }
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler: at, target } of channels) {
      const sampler = samplers[at];
      const cubicSpline = sampler?.interpolation === 'CUBICSPLINE';
      give(sampler?.input, { kind: 'times' });
      give(sampler?.output, { kind: 'track', path: target.path, cubicSpline });
    }
  }
  for (const { inverseBindMatrices } of json.skins ?? []) {
    give(inverseBindMatrices, { kind: 'binding' });
  }
  for (const node of json.nodes ?? []) {
    const instancing = node.extensions?.EXT_mesh_gpu_instancing as GpuInstancing | undefined;
    for (const [semantic, index] of Object.entries(instancing?.attributes ?? {})) {
      give(index, { kind: 'instances', semantic });
    }
  }
  return roles;
}

function mergeUsages(one: AccessorUsage, other: AccessorUsage): AccessorUsage {
  if (one.kind === 'indices' && other.kind === 'indices') {
    return { kind: 'indices', triangles: one.triangles && other.triangles };
  }
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  // Still numbers of a vertex, which glTF wants in buffer views of their own.
  if (one.kind === 'vertex' && other.kind === 'vertex') {
    return { kind: 'vertex', semantic: '', morphTarget: true };
  }
  return { kind: 'other' };
}
