import type {
  Animation,
  AnimationChannel,
  Document,
  Node,
  Scene,
  vec3,
} from '@gltf-transform/core';
import { findDistantCenter } from './distant-center.ts';
import { computeSceneExtent } from './scene-bounds.ts';

/** The error of compressed keyframes so far away is that of quantized positions, a few steps of the scene. */
const MAX_DISTANCE_IN_EXTENTS = 4;

/**
 * Gives nodes that are moved by animations far from the origin a parent there: its translation has
 * more digits than the compressed keyframes. Splines are not compressed so.
 */
export function centerAnimations(document: Document): void {
  const channels = document
    .getRoot()
    .listAnimations()
    .flatMap((animation) => animation.listChannels())
    .filter((channel) => channel.getTargetPath() === 'translation');
  let sceneExtent: number | undefined;
  for (const [node, group] of Map.groupBy(channels, (channel) => channel.getTargetNode())) {
    if (node === null || !group.every(hasCompressibleKeyframes)) continue;
    const center = findDistantCenter(group.flatMap(listKeyframes));
    if (center === undefined) continue;
    sceneExtent ??= computeSceneExtent(document);
    const distance = Math.hypot(...center) * getParentScale(node);
    if (distance <= MAX_DISTANCE_IN_EXTENTS * sceneExtent) continue;
    insertParent(document, node, center);
    for (const channel of group) subtractCenter(channel, center);
  }
}

function hasCompressibleKeyframes(channel: AnimationChannel): boolean {
  const sampler = channel.getSampler();
  const isFloat = sampler?.getOutput()?.getArray() instanceof Float32Array;
  return isFloat && sampler.getInterpolation() !== 'CUBICSPLINE';
}

function listKeyframes(channel: AnimationChannel): vec3[] {
  const output = channel.getSampler()?.getOutput();
  return Array.from(
    { length: output?.getCount() ?? 0 },
    (_, index) => output?.getElement<vec3>(index, [0, 0, 0]) ?? [0, 0, 0],
  );
}

function getParentScale(node: Node): number {
  return Math.max(...(node.getParentNode()?.getWorldScale() ?? [1]).map(Math.abs));
}

function insertParent(document: Document, node: Node, translation: vec3): void {
  const parent = document.createNode().setTranslation(translation);
  const [owner] = node
    .listParents()
    .filter(({ propertyType }) => propertyType === 'Scene' || propertyType === 'Node');
  (owner as Node | Scene | undefined)?.addChild(parent);
  parent.addChild(node);
  node.setTranslation(subtract(node.getTranslation(), translation));
}

/** Gives the channel keyframes of its own, because other channels may have the same. */
function subtractCenter(channel: AnimationChannel, center: vec3): void {
  const source = channel.getSampler();
  const output = source?.getOutput()?.clone();
  if (!source || !output) return;
  for (const [index, value] of listKeyframes(channel).entries()) {
    output.setElement(index, subtract(value, center));
  }
  const sampler = source.clone().setOutput(output);
  for (const parent of channel.listParents()) {
    if (parent.propertyType === 'Animation') (parent as Animation).addSampler(sampler);
  }
  channel.setSampler(sampler);
  if (!source.listParents().some(({ propertyType }) => propertyType === 'AnimationChannel'))
    source.dispose();
}

function subtract(a: vec3, b: vec3): vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}
