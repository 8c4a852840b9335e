import type { Document, mat4, Node } from '@gltf-transform/core';
import { isIdentity, multiplyMatrices } from './matrix.ts';

/** Lists the top-level nodes of all scenes. */
export function listSceneRoots(document: Document): Node[] {
  return document
    .getRoot()
    .listScenes()
    .flatMap((scene) => scene.listChildren());
}

/**
 * Removes each node for which `isIdle` is true and moves its children up to its parent.
 *
 * Nodes with a mesh, a skin or a transform stay, and so do animated nodes and joints.
 */
export function collapseNodes(document: Document, isRedundant: (node: Node) => boolean): void {
  const referencedNodes = findReferencedNodes(document);
  const scenes = document.getRoot().listScenes();
  for (const node of document.getRoot().listNodes()) {
    if (!isRedundant(node) || referencedNodes.has(node) || node.getMesh() || node.getSkin())
      continue;
    if (!isIdentity(node.getMatrix())) continue;
    const parent = node.getParentNode();
    const parents = parent
      ? [parent]
      : scenes.filter((scene) => scene.listChildren().includes(node));
    for (const child of node.listChildren()) {
      for (const newParent of parents) newParent.addChild(child);
    }
    node.dispose();
  }
}

/**
 * Removes each node for which `isHelper` is true and applies its transform to its only child.
 *
 * Nodes with several children stay, and so do nodes that are animated or joints, or whose child is.
 */
export function mergeHelperNodes(document: Document, isHelper: (node: Node) => boolean): void {
  const referencedNodes = findReferencedNodes(document);
  for (const node of document.getRoot().listNodes()) {
    const [child, secondChild] = node.listChildren();
    const parent = node.getParentNode();
    if (!isHelper(node) || !child || secondChild || !parent) continue;
    if (referencedNodes.has(node) || referencedNodes.has(child)) continue;
    if (node.getMesh() || child.getSkin()) continue;
    child.setMatrix(multiplyMatrices(node.getMatrix(), child.getMatrix()));
    parent.addChild(child);
    node.dispose();
  }
}

/** Moves everything in each scene below one new node with this matrix, unless it is the identity. */
export function wrapSceneInNode(document: Document, matrix: mat4): void {
  if (isIdentity(matrix)) return;
  for (const scene of document.getRoot().listScenes()) {
    const node = document.createNode().setMatrix(matrix);
    for (const child of scene.listChildren()) node.addChild(child);
    scene.addChild(node);
  }
}

/** Finds the nodes that are animated, and the joints and skeletons of skins. */
function findReferencedNodes(document: Document): Set<Node | null> {
  const root = document.getRoot();
  const targets = root
    .listAnimations()
    .flatMap((animation) => animation.listChannels().map((channel) => channel.getTargetNode()));
  return new Set([
    ...targets,
    ...root.listSkins().flatMap((skin) => [skin.getSkeleton(), ...skin.listJoints()]),
  ]);
}
