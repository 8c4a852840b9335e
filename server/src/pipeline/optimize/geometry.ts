/**
 * Fewer vertices and triangles, in an order that compresses and draws well.
 *
 * Notes (November 2026):
 * TODO numbers
 */
import { Accessor, type Document, getBounds, type Primitive } from '@gltf-transform/core';
import { compactPrimitive, reorder, weldPrimitive } from '@gltf-transform/functions';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { pruneUnused } from './clean.ts';
import { shownScene, trianglesOf } from './facts.ts';

export type SimplifyOptions = {
  /** Largest distance of the new surface from the old, over the largest extent of the scene. */
  error: number;
  /** Triangles to stop at, over those there are. */
  ratio: number;
};

/** Shares equal vertices, drops triangles that make no difference, and puts the rest in order. */
export async function refine(document: Document, options: SimplifyOptions): Promise<void> {
  await MeshoptSimplifier.ready;
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) weldPrimitive(primitive);
  }
  simplify(document, options);
  await document.transform(reorder({ encoder: MeshoptEncoder, target: 'size', cleanup: false }));
  await document.transform(pruneUnused());
}

/** Drops triangles of static meshes as far as the error allows. */
export function simplify(document: Document, { error, ratio }: SimplifyOptions): void {
  const scene = shownScene(document);
  const { min, max } = scene ? getBounds(scene) : { min: [0, 0, 0], max: [0, 0, 0] };
  const world = Math.max(...[0, 1, 2].map((axis) => (max[axis] ?? 0) - (min[axis] ?? 0)));
  for (const mesh of document.getRoot().listMeshes()) {
    const nodes = mesh.listParents().filter((it) => it.propertyType === 'Node');
    const scale = Math.max(
      1e-12,
      ...nodes.map((it) =>
        Math.max(...(it as import('@gltf-transform/core').Node).getWorldScale()),
      ),
    );
    for (const primitive of mesh.listPrimitives()) {
      simplifyPrimitive(primitive, { error: (error * world) / scale, ratio });
    }
  }
}

/** Attributes count as surface too: a shift of the texture or a bend of the light is seen. */
const WEIGHTS: Record<string, number> = { NORMAL: 0.5, TEXCOORD_0: 1, COLOR_0: 0.5 };

function simplifyPrimitive(
  primitive: Primitive,
  { error, ratio }: { error: number; ratio: number },
): void {
  const indices = primitive.getIndices();
  const position = primitive.getAttribute('POSITION');
  if (primitive.getMode() !== 4 || indices === null || position === null) return;
  if (position.getComponentType() !== Accessor.ComponentType.FLOAT) return;
  // What bends is seen from more sides than the pose it is stored in.
  if (primitive.listTargets().length > 0 || primitive.getAttribute('JOINTS_0')) return;
  const triangles = trianglesOf(primitive);
  if (triangles < 32) return;
  const target = Math.floor(ratio * triangles) * 3;
  const { attributes, stride, weights } = gatherAttributes(primitive);
  const [kept] = MeshoptSimplifier.simplifyWithAttributes(
    new Uint32Array(indices.getArray() as Uint32Array),
    position.getArray() as Float32Array,
    3,
    attributes,
    stride,
    weights,
    null,
    target,
    error,
    ['ErrorAbsolute'],
  );
  if (kept.length === 0 || kept.length >= indices.getCount()) return;
  primitive.setIndices(indices.clone().setArray(new Uint32Array(kept)));
  compactPrimitive(primitive);
}

function gatherAttributes(primitive: Primitive) {
  const semantics = Object.keys(WEIGHTS).filter((it) => primitive.getAttribute(it));
  const accessors = semantics.map((it) => primitive.getAttribute(it) as Accessor);
  const weights = accessors.flatMap((accessor, at) =>
    new Array<number>(accessor.getElementSize()).fill(WEIGHTS[semantics[at] as string] as number),
  );
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const attributes = new Float32Array(count * weights.length);
  const element: number[] = [];
  let column = 0;
  for (const accessor of accessors) {
    for (let at = 0; at < count; at++) {
      accessor.getElement(at, element);
      for (const [part, value] of element.entries()) {
        attributes[at * weights.length + column + part] = value;
      }
    }
    column += accessor.getElementSize();
  }
  return { attributes, stride: weights.length, weights };
}
