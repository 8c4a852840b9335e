/**
 * Quantizes positions to integers on a grid, whose offset and scale are added to the transform of the
 * node.
 *
 * Notes (November 2026). Bits relative to the scene, with 11 bits relative to a mesh. Bytes of the
 * model, SSIM to the original (least of three sides):
 *
 *         FlightHelmet        WaterBottle        Tower
 *   12    813,024  0.9924     210,352            72,716
 *   14    852,400  0.9929     212,132  0.9966    73,228   chosen
 *   16    890,872  0.9930     213,576            73,608
 *
 * The bits relative to a mesh have an effect on meshes smaller than an eighth of the scene. The first
 * column simulates a close-up: WaterBottle fills the image and has no other limit. The error is per
 * axis, if the mesh fills 1440 pixels:
 *
 *         WaterBottle alone   largest error   Tower     FlightHelmet
 *    9    207,932  0.9932     1.4 px          74,000    852,400
 *   11    209,556  0.9963     0.35 px         73,228    852,400   chosen
 *   13    211,172  0.9966     0.09 px         74,720    854,100
 *
 * 13 bits would add up to 2 % to reduce the error by a quarter of a pixel; the error of 9 bits is
 * visible. Tower is smallest with 11 bits by chance: more of its parts get the same integers.
 */
import {
  Accessor,
  type Document,
  type Mesh,
  type Primitive,
  type vec3,
} from '@gltf-transform/core';
import type { Volume } from '@gltf-transform/extensions';
import { listPrimitiveMaterials } from '../primitive-modes.ts';
import { computeSceneExtent } from '../scene-bounds.ts';
import { computeDisplayScale } from '../world-scale.ts';
import { applyDequantizationTransform, type QuantizationGrid } from './dequantization-transform.ts';

/** Bits of a position, per axis. */
export type PositionBits = {
  /** Relative to the largest extent of the scene. */
  scene: number;
  /** Relative to the largest extent of a mesh, however small it is in its scene. */
  mesh: number;
};

type PositionRange = { min: vec3; max: vec3; extent: number };

const MAX_UINT16 = 65_535;

/** Quantizes the positions of all meshes whose positions are floats. */
export function quantizePositions(document: Document, bits: PositionBits): void {
  const sceneExtent = computeSceneExtent(document);
  const meshes = document.getRoot().listMeshes().filter(hasOnlyFloatPositions);
  const ranges = new Map(meshes.map((mesh) => [mesh, computePositionRange(mesh)]));
  const steps = new Map<Mesh, number>();
  for (const [mesh, { extent }] of ranges) {
    const displayScale = computeDisplayScale(mesh, sceneExtent, extent);
    const sceneStep = sceneExtent / 2 ** bits.scene / displayScale;
    steps.set(mesh, clampStep(Math.min(sceneStep, extent / 2 ** bits.mesh), extent));
  }
  alignVolumeSteps(document, steps, ranges);
  for (const [mesh, { min }] of ranges) {
    const step = steps.get(mesh);
    if (step === undefined) continue;
    const offset = min.map((low) => Math.floor(low / step) * step) as vec3;
    quantizeMesh(document, mesh, { offset, step });
    applyDequantizationTransform(document, mesh, { offset, step });
  }
}

function hasOnlyFloatPositions(mesh: Mesh): boolean {
  const positions = mesh.listPrimitives().map((primitive) => primitive.getAttribute('POSITION'));
  return (
    positions.length > 0 &&
    positions.every((position) => position?.getComponentType() === Accessor.ComponentType.FLOAT) &&
    mesh.listPrimitives().every((primitive) => primitive.listTargets().every(isFloatOrMissing))
  );
}

function isFloatOrMissing(target: Pick<Primitive, 'getAttribute'>): boolean {
  const position = target.getAttribute('POSITION');
  return position === null || position.getComponentType() === Accessor.ComponentType.FLOAT;
}

/** Computes the bounding box of a mesh. Its extent also covers the deltas of morph targets. */
function computePositionRange(mesh: Mesh): PositionRange {
  const min: vec3 = [Infinity, Infinity, Infinity];
  const max: vec3 = [-Infinity, -Infinity, -Infinity];
  let maxDelta = 0;
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    const low = position?.getMin([]) ?? [];
    const high = position?.getMax([]) ?? [];
    for (const axis of [0, 1, 2] as const) {
      min[axis] = Math.min(min[axis], low[axis] ?? 0);
      max[axis] = Math.max(max[axis], high[axis] ?? 0);
    }
    for (const target of primitive.listTargets()) {
      const deltas = target.getAttribute('POSITION');
      for (const delta of [...(deltas?.getMin([]) ?? []), ...(deltas?.getMax([]) ?? [])]) {
        maxDelta = Math.max(maxDelta, Math.abs(delta));
      }
    }
  }
  // Deltas are signed: half as many steps in each direction.
  return { min, max, extent: Math.max(computeLongestSide({ min, max }), 2 * maxDelta) };
}

function computeLongestSide({ min, max }: { min: vec3; max: vec3 }): number {
  return Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2], 0);
}

function clampStep(step: number, extent: number): number {
  // One additional step: the grid starts at a multiple of the step, below the lowest position.
  return Math.max(step, extent / (MAX_UINT16 - 2)) || 1;
}

/**
 * Sets the same step for all meshes with volume materials: they may share a material, whose thickness
 * is in the units of the mesh.
 */
function alignVolumeSteps(
  document: Document,
  steps: Map<Mesh, number>,
  ranges: ReadonlyMap<Mesh, PositionRange>,
): void {
  const volumes = new Set<Volume>();
  const meshes: Mesh[] = [];
  for (const mesh of document.getRoot().listMeshes()) {
    const meshVolumes = listThickVolumes(mesh);
    for (const volume of meshVolumes) volumes.add(volume);
    if (meshVolumes.length > 0) meshes.push(mesh);
  }
  if (meshes.length === 0) return;
  const minStep = Math.min(...meshes.map((mesh) => steps.get(mesh) ?? 0));
  const maxExtent = Math.max(...meshes.map((mesh) => ranges.get(mesh)?.extent ?? 0));
  // A mesh without a step is quantized already: then none of the others can be quantized.
  if (!(minStep > 0)) {
    for (const mesh of meshes) steps.delete(mesh);
    return;
  }
  const step = clampStep(minStep, maxExtent);
  for (const mesh of meshes) steps.set(mesh, step);
  for (const volume of volumes) volume.setThicknessFactor(volume.getThicknessFactor() / step);
}

function listThickVolumes(mesh: Mesh): Volume[] {
  return mesh
    .listPrimitives()
    .flatMap(listPrimitiveMaterials)
    .map((material) => material.getExtension<Volume>('KHR_materials_volume'))
    .filter((volume) => volume !== null)
    .filter((volume) => volume.getThicknessFactor() > 0);
}

function quantizeMesh(document: Document, mesh: Mesh, { offset, step }: QuantizationGrid): void {
  const quantizedAccessors = new Map<Accessor, Accessor>();
  const quantizeAccessor = (source: Accessor, origin: vec3, isSigned: boolean): Accessor => {
    const quantized = quantizedAccessors.get(source);
    if (quantized) return quantized;
    const floats = source.getArray() as Float32Array;
    const integers = isSigned ? new Int16Array(floats.length) : new Uint16Array(floats.length);
    for (let index = 0; index < floats.length; index++) {
      const distance = (floats[index] as number) - (origin[index % 3] as number);
      integers[index] = Math.round(distance / step);
    }
    const accessor = document
      .createAccessor()
      .setType('VEC3')
      .setArray(integers)
      .setSparse(source.getSparse())
      .setBuffer(source.getBuffer());
    quantizedAccessors.set(source, accessor);
    return accessor;
  };
  for (const primitive of mesh.listPrimitives()) {
    const position = primitive.getAttribute('POSITION');
    if (position) primitive.setAttribute('POSITION', quantizeAccessor(position, offset, false));
    for (const target of primitive.listTargets()) {
      const deltas = target.getAttribute('POSITION');
      if (deltas) target.setAttribute('POSITION', quantizeAccessor(deltas, [0, 0, 0], true));
    }
  }
}
