import type {
  Accessor,
  AnimationChannel,
  AnimationSampler,
  Mesh,
  Node,
} from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';

/** The largest scale of the keyframes in an accessor, which many meshes may share. */
const keyframeScales = new WeakMap<Accessor, number>();

/** Computes the largest scale at which a mesh is shown, over all of its nodes, instances and keyframes. */
export function computeMaxWorldScale(mesh: Mesh): number {
  const nodes = mesh
    .listParents()
    .filter((parent): parent is Node => parent.propertyType === 'Node');
  return Math.max(1e-12, ...nodes.map(computeNodeMaxScale));
}

/**
 * Computes the largest scale at which a mesh is shown; an upper limit if it has a skin. `meshExtent`
 * is its longest side.
 */
export function computeDisplayScale(mesh: Mesh, sceneExtent: number, meshExtent: number): number {
  const hasSkin = mesh
    .listParents()
    .some((parent) => parent.propertyType === 'Node' && (parent as Node).getSkin() !== null);
  // A skin can scale the mesh by any factor: assume that the mesh is as large as the scene.
  if (hasSkin) return meshExtent > 0 ? sceneExtent / meshExtent : 1;
  return computeMaxWorldScale(mesh);
}

/** Computes the longest side of the bounding box of a mesh. */
export function computeMeshExtent(mesh: Mesh): number {
  let extent = 0;
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    const min = position?.getMinNormalized([]) ?? [];
    const max = position?.getMaxNormalized([]) ?? [];
    for (const [axis, value] of max.entries()) extent = Math.max(extent, value - (min[axis] ?? 0));
  }
  return extent;
}

function computeNodeMaxScale(node: Node): number {
  const instancedMesh = node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
  const scales = instancedMesh?.getAttribute('SCALE');
  const minMax = scales ? [...scales.getMin([]), ...scales.getMax([])] : [1];
  return computeLargestWorldScale(node) * Math.max(...minMax.map(Math.abs));
}

/** Computes the largest world scale of a node; an upper limit if a scale is animated. */
export function computeLargestWorldScale(node: Node): number {
  let isAnimated = false;
  let scale = 1;
  for (let each: Node | null = node; each !== null; each = each.getParentNode()) {
    const samplers = listScaleSamplers(each);
    isAnimated ||= samplers.length > 0;
    scale *= Math.max(...each.getScale().map(Math.abs), ...samplers.map(getKeyframeScale));
  }
  return isAnimated ? scale : Math.max(...node.getWorldScale().map(Math.abs));
}

function listScaleSamplers(node: Node): AnimationSampler[] {
  return node
    .listParents()
    .filter((parent): parent is AnimationChannel => parent.propertyType === 'AnimationChannel')
    .filter((channel) => channel.getTargetPath() === 'scale')
    .flatMap((channel) => channel.getSampler() ?? []);
}

function getKeyframeScale(sampler: AnimationSampler): number {
  const output = sampler.getOutput();
  if (output === null) return 0;
  const known = keyframeScales.get(output);
  if (known !== undefined) return known;
  // A keyframe of a spline is a tangent, the value, and another tangent.
  const [first, step] = sampler.getInterpolation() === 'CUBICSPLINE' ? [1, 3] : [0, 1];
  let scale = 0;
  const element: number[] = [];
  for (let index = first; index < output.getCount(); index += step)
    scale = Math.max(scale, ...output.getElement(index, element).map(Math.abs));
  keyframeScales.set(output, scale);
  return scale;
}
