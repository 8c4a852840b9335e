import type { Document, mat4, Node } from '@gltf-transform/core';

/** The node that stands in for what the library made of the file's root, below the scene. */
export function listSceneRoots(document: Document): Node[] {
  return document
    .getRoot()
    .listScenes()
    .flatMap((scene) => scene.listChildren());
}

/** Lifts nodes that have nothing of their own, such as the library's root, out of the tree. */
export function collapseIdleNodes(document: Document, isIdle: (node: Node) => boolean): void {
  const moved = findAnimatedNodes(document);
  for (const node of document.getRoot().listNodes()) {
    const parent = node.getParentNode();
    if (
      !isIdle(node) ||
      moved.has(node) ||
      node.getMesh() ||
      node.getSkin() ||
      !isIdentity(node.getMatrix())
    )
      continue;
    for (const child of node.listChildren()) {
      if (parent) parent.addChild(child);
      else
        for (const scene of document.getRoot().listScenes())
          if (scene.listChildren().includes(node)) scene.addChild(child);
    }
    node.dispose();
  }
}

/** Takes a helper of the library between a node and its only child into that child, unless it moves. */
export function mergeHelperNodes(document: Document, isHelper: (node: Node) => boolean): void {
  const moved = findAnimatedNodes(document);
  for (const node of document.getRoot().listNodes()) {
    const [child, other] = node.listChildren();
    const parent = node.getParentNode();
    if (!isHelper(node) || !child || other || !parent) continue;
    if (moved.has(node) || moved.has(child) || node.getMesh() || child.getSkin()) continue;
    child.setMatrix(multiplyMat4(node.getMatrix(), child.getMatrix()));
    parent.addChild(child);
    node.dispose();
  }
}

/** Puts all that a scene shows below one node with that matrix; nothing for the identity. */
export function wrapSceneInNode(document: Document, matrix: mat4): void {
  if (isIdentity(matrix)) return;
  for (const scene of document.getRoot().listScenes()) {
    const node = document.createNode().setMatrix(matrix);
    for (const child of scene.listChildren()) node.addChild(child);
    scene.addChild(node);
  }
}

function findAnimatedNodes(document: Document): Set<Node | null> {
  const root = document.getRoot();
  const targets = root
    .listAnimations()
    .flatMap((animation) => animation.listChannels().map((channel) => channel.getTargetNode()));
  return new Set([
    ...targets,
    ...root.listSkins().flatMap((skin) => [skin.getSkeleton(), ...skin.listJoints()]),
  ]);
}

function isIdentity(matrix: mat4): boolean {
  return matrix.every((value, at) => Math.abs(value - (at % 5 === 0 ? 1 : 0)) < 1e-9);
}

function multiplyMat4(one: mat4, other: mat4): mat4 {
  return other.map((_, at) => {
    const [row, column] = [at % 4, at - (at % 4)];
    return [0, 1, 2, 3].reduce(
      (sum, k) => sum + (one[4 * k + row] as number) * (other[column + k] as number),
      0,
    );
  }) as mat4;
}
