import type { GLTF } from '@gltf-transform/core';

/** The use of an accessor. It determines how its values are quantized and compressed. */
export type AccessorUsage =
  | { kind: 'indices'; triangles: boolean }
  | { kind: 'vertex'; semantic: string; morphTarget: boolean }
  | { kind: 'animation-input' }
  | { kind: 'animation-output'; path: string; cubicSpline: boolean }
  | { kind: 'instance-attribute'; semantic: string }
  | { kind: 'inverse-bind-matrices' }
  | { kind: 'other' };

type IndexedUsage = [index: number | undefined, usage: AccessorUsage];
type GpuInstancing = { attributes?: Record<string, number> };

/** Finds the usage of each accessor, by index. An accessor with several uses has the kind `other`. */
export function findAccessorUsages(json: GLTF.IGLTF): Map<number, AccessorUsage> {
  const usages = new Map<number, AccessorUsage>();
  for (const [index, usage] of listUsages(json)) {
    if (index === undefined) continue;
    const other = usages.get(index);
    usages.set(index, other === undefined ? usage : mergeUsages(other, usage));
  }
  return usages;
}

function listUsages(json: GLTF.IGLTF): IndexedUsage[] {
  return [
    ...(json.meshes ?? []).flatMap(({ primitives }) => primitives.flatMap(listPrimitiveUsages)),
    ...(json.animations ?? []).flatMap(listAnimationUsages),
    ...(json.skins ?? []).map(
      ({ inverseBindMatrices }): IndexedUsage => [
        inverseBindMatrices,
        { kind: 'inverse-bind-matrices' },
      ],
    ),
    ...(json.nodes ?? []).flatMap(listInstancingUsages),
  ];
}

function listPrimitiveUsages(primitive: GLTF.IMeshPrimitive): IndexedUsage[] {
  const { indices, mode = 4, attributes, targets = [] } = primitive;
  const usages: IndexedUsage[] = [[indices, { kind: 'indices', triangles: mode === 4 }]];
  for (const [semantic, index] of Object.entries(attributes)) {
    usages.push([index, { kind: 'vertex', semantic, morphTarget: false }]);
  }
  for (const target of targets) {
    for (const [semantic, index] of Object.entries(target)) {
      usages.push([index, { kind: 'vertex', semantic, morphTarget: true }]);
    }
  }
  return usages;
}

function listAnimationUsages({ channels, samplers }: GLTF.IAnimation): IndexedUsage[] {
  return channels.flatMap(({ sampler: index, target }): IndexedUsage[] => {
    const sampler = samplers[index];
    const cubicSpline = sampler?.interpolation === 'CUBICSPLINE';
    return [
      [sampler?.input, { kind: 'animation-input' }],
      [sampler?.output, { kind: 'animation-output', path: target.path, cubicSpline }],
    ];
  });
}

function listInstancingUsages({ extensions }: GLTF.INode): IndexedUsage[] {
  const instancing = extensions?.EXT_mesh_gpu_instancing as GpuInstancing | undefined;
  return Object.entries(instancing?.attributes ?? {}).map(([semantic, index]) => [
    index,
    { kind: 'instance-attribute', semantic },
  ]);
}

function mergeUsages(a: AccessorUsage, b: AccessorUsage): AccessorUsage {
  if (a.kind === 'indices' && b.kind === 'indices') {
    return { kind: 'indices', triangles: a.triangles && b.triangles };
  }
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  // The result is a vertex attribute: glTF requires separate buffer views for them.
  if (a.kind === 'vertex' && b.kind === 'vertex') {
    return { kind: 'vertex', semantic: '', morphTarget: true };
  }
  return { kind: 'other' };
}
