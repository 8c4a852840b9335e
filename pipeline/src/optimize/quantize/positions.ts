/**
 * Positions as whole numbers on a grid, the grid's place and scale given to the node.
 *
 * Notes (November 2026). Bits of the scene, with 11 of a mesh. Bytes of the model, SSIM to the
 * original (least of three sides):
 *
 *         FlightHelmet        WaterBottle        Tower
 *   12    813,024  0.9924     210,352            72,716
 *   14    852,400  0.9929     212,132  0.9966    73,228   chosen
 *   16    890,872  0.9930     213,576            73,608
 *
 * Bits of a mesh decide for those smaller than an eighth of the scene. Seen close: WaterBottle with
 * these bits alone, filling the picture. An error is of one axis, where the mesh fills 1440 pixels:
 *
 *         WaterBottle alone   largest error   Tower     FlightHelmet
 *    9    207,932  0.9932     1.4 px          74,000    852,400
 *   11    209,556  0.9963     0.35 px         73,228    852,400   chosen
 *   13    211,172  0.9966     0.09 px         74,720    854,100
 *
 * 13 would cost up to 2 % for a quarter of a pixel; 9 is seen. Tower is smallest at 11 by luck: more
 * of its parts come out as the same numbers.
 */
import {
  Accessor,
  type Document,
  type Mesh,
  type Node,
  type Primitive,
  type vec3,
} from '@gltf-transform/core';
import type { Volume } from '@gltf-transform/extensions';
import { listPrimitiveMaterials } from '../model-counts.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { computeMaxWorldScale } from '../simplify-meshes.ts';
import { applyDequantizationTransform, type QuantizationGrid } from './dequantization-transform.ts';

export type PositionBits = {
  /** Of the largest extent of the scene. */
  scene: number;
  /** Of the largest extent of a mesh, however small it is in its scene. */
  mesh: number;
};

const MAX_UINT16 = 65_535;

/** Rounds the positions of all meshes that still have floats. Answers how many it changed. */
export function quantizePositions(document: Document, bits: PositionBits): number {
  const world = computeSceneExtent(document);
  const meshes = document.getRoot().listMeshes().filter(isUnquantized);
  const spans = new Map(meshes.map((mesh) => [mesh, computePositionRange(mesh)]));
  const steps = new Map<Mesh, number>();
  for (const mesh of meshes) {
    const { extent } = spans.get(mesh) as PositionRange;
    const coarsest = world / 2 ** bits.scene / computeDisplayScale(mesh, world, extent);
    steps.set(mesh, clampStep(Math.min(coarsest, extent / 2 ** bits.mesh), extent));
  }
  alignVolumeSteps(document, steps, spans);
  for (const mesh of meshes) {
    const step = steps.get(mesh);
    const span = spans.get(mesh);
    if (step === undefined || span === undefined) continue;
    const offset = span.min.map((low) => Math.floor(low / step) * step) as vec3;
    quantizeMesh(document, mesh, { offset, step });
    applyDequantizationTransform(document, mesh, { offset, step });
  }
  return meshes.length;
}

type PositionRange = { min: vec3; max: vec3; extent: number };

function isUnquantized(mesh: Mesh): boolean {
  const positions = mesh.listPrimitives().map((it) => it.getAttribute('POSITION'));
  return (
    positions.length > 0 &&
    positions.every((it) => it?.getComponentType() === Accessor.ComponentType.FLOAT) &&
    mesh.listPrimitives().every((it) => it.listTargets().every(hasFloatPositions))
  );
}

function hasFloatPositions(target: Pick<Primitive, 'getAttribute'>): boolean {
  const position = target.getAttribute('POSITION');
  return position === null || position.getComponentType() === Accessor.ComponentType.FLOAT;
}

/** The box of a mesh; its extent has room for the offsets of morph targets too. */
function computePositionRange(mesh: Mesh): PositionRange {
  const min: vec3 = [Infinity, Infinity, Infinity];
  const max: vec3 = [-Infinity, -Infinity, -Infinity];
  let reach = 0;
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    const low = position?.getMin([]) ?? [];
    const high = position?.getMax([]) ?? [];
    for (const axis of [0, 1, 2] as const) {
      min[axis] = Math.min(min[axis], low[axis] ?? 0);
      max[axis] = Math.max(max[axis], high[axis] ?? 0);
    }
    for (const target of primitive.listTargets()) {
      const offsets = target.getAttribute('POSITION');
      for (const end of [...(offsets?.getMin([]) ?? []), ...(offsets?.getMax([]) ?? [])]) {
        reach = Math.max(reach, Math.abs(end));
      }
    }
  }
  // Offsets have a sign: half as many steps on either side.
  return { min, max, extent: Math.max(computeLongestSide({ min, max }), 2 * reach) };
}

function computeLongestSide({ min, max }: { min: vec3; max: vec3 }): number {
  return Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2], 0);
}

function clampStep(step: number, extent: number): number {
  // One step spare: the grid starts at a multiple of the step, below the lowest position.
  return Math.max(step, extent / (MAX_UINT16 - 2)) || 1;
}

/** How much larger the largest use of a mesh is than the mesh itself. */
function computeDisplayScale(mesh: Mesh, world: number, extent: number): number {
  const nodes = mesh.listParents().filter((it): it is Node => it.propertyType === 'Node');
  // A skin puts the mesh anywhere: take it for as large as the scene.
  if (nodes.some((node) => node.getSkin())) return extent > 0 ? world / extent : 1;
  return computeMaxWorldScale(mesh);
}

/** Thickness is measured in the units of the mesh, so meshes of one such material share a step. */
function alignVolumeSteps(
  document: Document,
  steps: Map<Mesh, number>,
  spans: ReadonlyMap<Mesh, PositionRange>,
): void {
  const thick = new Set<Volume>();
  const meshes = document
    .getRoot()
    .listMeshes()
    .filter((mesh) => {
      const volumes = mesh
        .listPrimitives()
        .flatMap(listPrimitiveMaterials)
        .map((it) => it.getExtension<Volume>('KHR_materials_volume'))
        .filter((it) => it !== null && it.getThicknessFactor() > 0);
      for (const volume of volumes) if (volume) thick.add(volume);
      return volumes.length > 0;
    });
  if (meshes.length === 0) return;
  const least = Math.min(...meshes.map((mesh) => steps.get(mesh) ?? 0));
  const widest = Math.max(...meshes.map((mesh) => spans.get(mesh)?.extent ?? 0));
  const step = least > 0 ? clampStep(least, widest) : undefined;
  for (const mesh of meshes) {
    if (step === undefined) steps.delete(mesh);
    else steps.set(mesh, step);
  }
  if (step === undefined) return;
  for (const volume of thick) volume.setThicknessFactor(volume.getThicknessFactor() / step);
}

function quantizeMesh(document: Document, mesh: Mesh, { offset, step }: QuantizationGrid): void {
  const done = new Map<Accessor, Accessor>();
  const rounded = (source: Accessor, from: vec3, signed: boolean): Accessor => {
    const before = done.get(source);
    if (before) return before;
    const floats = source.getArray() as Float32Array;
    const whole = signed ? new Int16Array(floats.length) : new Uint16Array(floats.length);
    for (let at = 0; at < floats.length; at++) {
      whole[at] = Math.round(((floats[at] as number) - (from[at % 3] as number)) / step);
    }
    const accessor = document
      .createAccessor()
      .setType('VEC3')
      .setArray(whole)
      .setSparse(source.getSparse())
      .setBuffer(source.getBuffer());
    done.set(source, accessor);
    return accessor;
  };
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    if (position) primitive.setAttribute('POSITION', rounded(position, offset, false));
    for (const target of primitive.listTargets()) {
      const offsets = target.getAttribute('POSITION');
      if (offsets) target.setAttribute('POSITION', rounded(offsets, [0, 0, 0], true));
    }
  }
}
