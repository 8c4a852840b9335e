import type {
  AnimationChannel,
  Document,
  Node,
  Primitive,
  PrimitiveTarget,
  vec3,
  vec4,
} from '@gltf-transform/core';
import { cloneDocument, flatten, prune } from '@gltf-transform/functions';
import { joinMeshes, replaceZeroScales } from '../join-meshes.ts';
import { countDrawCalls, findDefaultScene } from '../model-counts.ts';

/** With more draw calls, parts are joined: a preview needs no names. */
const MAX_DRAW_CALLS = 50;

/** Copies a model as it looks in its first frame, without animations, morph targets and variants. */
export async function createStaticCopy(document: Document): Promise<Document> {
  const copy = cloneDocument(document);
  copy.setLogger(document.getLogger());
  const root = copy.getRoot();
  bakeFirstFrame(copy);
  copy.disposeExtension('KHR_materials_variants');
  for (const node of root.listNodes()) bakeMorphTargets(node);
  for (const primitive of root.listMeshes().flatMap((mesh) => mesh.listPrimitives())) {
    primitive.setAttribute('TANGENT', null);
  }
  for (const property of [...root.listNodes(), ...root.listMeshes(), ...root.listMaterials()]) {
    property.setName('').setExtras({});
  }
  for (const node of root.listNodes()) node.setCamera(null);
  if (countDrawCalls(findDefaultScene(copy)) > MAX_DRAW_CALLS) {
    replaceZeroScales(copy);
    await copy.transform(flatten({ cleanup: false }));
    await joinMeshes(copy, { keepNamed: false });
  }
  await copy.transform(prune({ keepAttributes: true, keepSolidTextures: true }));
  return copy;
}

/** Applies the start of the first animation, which the viewer plays, and removes all animations. */
function bakeFirstFrame(document: Document): void {
  const animations = document.getRoot().listAnimations();
  animations[0]?.listChannels().forEach(applyFirstKeyframe);
  for (const animation of animations) {
    for (const channel of animation.listChannels()) channel.dispose();
    for (const sampler of animation.listSamplers()) sampler.dispose();
    animation.dispose();
  }
}

function applyFirstKeyframe(channel: AnimationChannel): void {
  const node = channel.getTargetNode();
  const sampler = channel.getSampler();
  const output = sampler?.getOutput();
  if (!node || !output) return;
  // A keyframe of a cubic spline is an in-tangent, the value and an out-tangent.
  const valueIndex = sampler?.getInterpolation() === 'CUBICSPLINE' ? 1 : 0;
  const path = channel.getTargetPath();
  if (path === 'weights') {
    const count = node.getMesh()?.listPrimitives()[0]?.listTargets().length ?? 0;
    const weights = Array.from(
      { length: count },
      (_, target) => output.getElement(valueIndex * count + target, [])[0] ?? 0,
    );
    node.setWeights(weights);
    return;
  }
  const value: number[] = output.getElement(valueIndex, []);
  if (path === 'translation') node.setTranslation(value as unknown as vec3);
  if (path === 'rotation') node.setRotation(value as unknown as vec4);
  if (path === 'scale') node.setScale(value as unknown as vec3);
}

/** Moves the vertices by the weighted morph targets of a node, and removes the targets. */
function bakeMorphTargets(node: Node): void {
  const mesh = node.getMesh();
  if (!mesh?.listPrimitives().some((primitive) => primitive.listTargets().length > 0)) return;
  const weights = node.getWeights().length > 0 ? node.getWeights() : mesh.getWeights();
  const baked = mesh.clone().setWeights([]);
  for (const primitive of baked.listPrimitives()) {
    baked.removePrimitive(primitive).addPrimitive(bakePrimitive(primitive.clone(), weights));
  }
  node.setMesh(baked).setWeights([]);
}

type WeightedTarget = { target: PrimitiveTarget; weight: number };

function bakePrimitive(primitive: Primitive, weights: number[]): Primitive {
  const targets = primitive.listTargets();
  const weighted = targets.flatMap((target, index) => {
    const weight = weights[index];
    return weight ? [{ target, weight }] : [];
  });
  if (weighted.length > 0) {
    bakeAttribute(primitive, 'POSITION', weighted);
    bakeAttribute(primitive, 'NORMAL', weighted);
  }
  for (const target of targets) primitive.removeTarget(target);
  return primitive;
}

function bakeAttribute(
  primitive: Primitive,
  semantic: string,
  weightedTargets: readonly WeightedTarget[],
): void {
  const source = primitive.getAttribute(semantic);
  if (source === null) return;
  const count = source.getCount();
  const sums = new Float32Array(count * 3);
  const element: number[] = [];
  for (let index = 0; index < count; index++) {
    sums.set(source.getElement(index, element), index * 3);
  }
  for (const { target, weight } of weightedTargets) {
    const deltas = target.getAttribute(semantic);
    for (let index = 0; deltas && index < count; index++) {
      deltas.getElement(index, element);
      for (const axis of [0, 1, 2]) {
        sums[index * 3 + axis] = (sums[index * 3 + axis] ?? 0) + weight * (element[axis] ?? 0);
      }
    }
  }
  primitive.setAttribute(semantic, source.clone().setArray(sums).setNormalized(false));
}
