import {
  type AnimationChannel,
  type Document,
  type Node,
  type Primitive,
  PropertyType,
  type vec3,
  type vec4,
} from '@gltf-transform/core';
import { cloneDocument, flatten, join, prune } from '@gltf-transform/functions';
import { countDrawCalls, findDefaultScene } from '../model-counts.ts';

/** Past this the parts of a preview are joined: their names are the model's business. */
const MAX_DRAW_CALLS = 50;

/** A copy of the model as it stands in its first frame: nothing in it moves or changes. */
export async function createStaticCopy(document: Document): Promise<Document> {
  const still = cloneDocument(document);
  still.setLogger(document.getLogger());
  const root = still.getRoot();
  const [first, ...others] = root.listAnimations();
  first?.listChannels().forEach(applyFirstKeyframe);
  for (const animation of [...(first ? [first] : []), ...others]) {
    for (const channel of animation.listChannels()) channel.dispose();
    for (const sampler of animation.listSamplers()) sampler.dispose();
    animation.dispose();
  }
  still.disposeExtension('KHR_materials_variants');
  for (const node of root.listNodes()) bakeMorphTargets(node);
  for (const primitive of root.listMeshes().flatMap((it) => it.listPrimitives())) {
    primitive.setAttribute('TANGENT', null);
  }
  for (const property of [...root.listNodes(), ...root.listMeshes(), ...root.listMaterials()]) {
    property.setExtras({});
    if (property.propertyType !== PropertyType.NODE) property.setName('');
  }
  for (const node of root.listNodes()) node.setName('').setCamera(null);
  if (countDrawCalls(findDefaultScene(still)) > MAX_DRAW_CALLS) {
    const filter = (node: Node) => node.getMesh()?.listPrimitives().every(isTriangleList) ?? false;
    await still.transform(flatten({ cleanup: false }), join({ filter, cleanup: false }));
  }
  await still.transform(prune({ keepAttributes: true, keepSolidTextures: true }));
  return still;
}

function isTriangleList(primitive: Primitive): boolean {
  return primitive.getMode() === 4;
}

/** The viewer puts the first animation on, at its start. */
function applyFirstKeyframe(channel: AnimationChannel): void {
  const node = channel.getTargetNode();
  const sampler = channel.getSampler();
  const output = sampler?.getOutput();
  if (!node || !output) return;
  // Of a spline, the value is between its two tangents.
  const at = sampler?.getInterpolation() === 'CUBICSPLINE' ? 1 : 0;
  const path = channel.getTargetPath();
  if (path === 'weights') {
    const count = node.getMesh()?.listPrimitives()[0]?.listTargets().length ?? 0;
    node.setWeights(
      Array.from(
        { length: count },
        (_, target) => output.getElement(at * count + target, [])[0] ?? 0,
      ),
    );
    return;
  }
  const value: number[] = output.getElement(at, []);
  if (path === 'translation') node.setTranslation(value as unknown as vec3);
  if (path === 'rotation') node.setRotation(value as unknown as vec4);
  if (path === 'scale') node.setScale(value as unknown as vec3);
}

/** Moves vertices to where the weights of the morph targets put them, and drops the targets. */
function bakeMorphTargets(node: Node): void {
  const mesh = node.getMesh();
  if (!mesh?.listPrimitives().some((it) => it.listTargets().length > 0)) return;
  const weights = node.getWeights().length > 0 ? node.getWeights() : mesh.getWeights();
  const baked = mesh.clone().setWeights([]);
  for (const primitive of baked.listPrimitives()) {
    baked.removePrimitive(primitive).addPrimitive(bakePrimitive(primitive.clone(), weights));
  }
  node.setMesh(baked).setWeights([]);
}

function bakePrimitive(primitive: Primitive, weights: number[]): Primitive {
  const targets = primitive.listTargets();
  const moved = targets.flatMap((target, at) => (weights[at] ? [{ target, by: weights[at] }] : []));
  for (const semantic of moved.length > 0 ? ['POSITION', 'NORMAL'] : []) {
    const source = primitive.getAttribute(semantic);
    if (source === null) continue;
    const sums = new Float32Array(source.getCount() * 3);
    const element: number[] = [];
    for (let at = 0; at < source.getCount(); at++) sums.set(source.getElement(at, element), at * 3);
    for (const { target, by } of moved) {
      const offsets = target.getAttribute(semantic);
      for (let at = 0; offsets && at < source.getCount(); at++) {
        offsets.getElement(at, element);
        for (const axis of [0, 1, 2]) {
          sums[at * 3 + axis] = (sums[at * 3 + axis] ?? 0) + by * (element[axis] ?? 0);
        }
      }
    }
    primitive.setAttribute(semantic, source.clone().setArray(sums).setNormalized(false));
  }
  for (const target of targets) primitive.removeTarget(target);
  return primitive;
}
