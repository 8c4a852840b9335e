import type { Accessor, Document, Node } from '@gltf-transform/core';
import { resample } from '@gltf-transform/functions';
import { resampleKeyframes } from './resample-keyframes.ts';
import { computeSceneExtent } from './scene-bounds.ts';
import { computeLargestWorldScale } from './world-scale.ts';

/** Relative to the extent of the scene, or to the largest scale: a seventh of a pixel in 1440 pixels. */
const MAX_ERROR = 1e-4;
/** The tolerance of rotations and of the weights of morph targets, which are about 1. */
const MAX_TOLERANCE = 1e-4;

/** Removes the keyframes that others interpolate without a visible difference. Splines stay. */
export async function resampleAnimations(document: Document): Promise<void> {
  const tolerance = computeTolerance(document);
  await document.transform(resample({ resample: resampleKeyframes, tolerance }));
}

/** `resample` has one tolerance for all channels, in their own units: the smallest that one of them needs. */
function computeTolerance(document: Document): number {
  const channels = document
    .getRoot()
    .listAnimations()
    .flatMap((animation) => animation.listChannels());
  let sceneExtent: number | undefined;
  let tolerance = MAX_TOLERANCE;
  for (const channel of channels) {
    const sampler = channel.getSampler();
    const path = channel.getTargetPath();
    const node = channel.getTargetNode();
    const output = sampler?.getOutput();
    if (!node || !output || sampler?.getInterpolation() !== 'LINEAR') continue;
    if (path !== 'translation' && path !== 'scale') continue;
    const { range, largest } = measureValues(output);
    if (range === 0) continue;
    let limit = MAX_ERROR * largest;
    if (path === 'translation') {
      sceneExtent ??= computeSceneExtent(document);
      limit = (MAX_ERROR * sceneExtent) / getParentScale(node);
    }
    // Rounding errors of a constant need no smaller tolerance.
    if (range > limit) tolerance = Math.min(tolerance, limit);
  }
  return tolerance;
}

function getParentScale(node: Node): number {
  const parent = node.getParentNode();
  return parent ? Math.max(1e-12, computeLargestWorldScale(parent)) : 1;
}

/** Returns the largest difference of two values of a component, and the largest absolute value. */
function measureValues(output: Accessor): { range: number; largest: number } {
  const [min, max] = [output.getMinNormalized([]), output.getMaxNormalized([])];
  const ranges = max.map((high, axis) => high - (min[axis] ?? 0));
  return { range: Math.max(...ranges), largest: Math.max(...[...min, ...max].map(Math.abs)) };
}
