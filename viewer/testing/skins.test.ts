/** The vertices of a skin follow all their joints: the build changes how the shader of three.js reads them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openSharedChromium } from '../../e2e/shared-chromium.ts';
import { createBoxGlb, type GlbBytes } from './box-models.ts';
import { getLargestDifference, takeModelPicture } from './embedded-viewer.ts';

const VERTEX_COUNT = 24;
/** All joints are rotated the same way, so that their weighted sum is a rotation, too. */
const rotation = [0, Math.sin(0.3), 0, Math.cos(0.3)];
const JOINTS = [
  { weight: 0.1, translation: [2, 0, 0] },
  { weight: 0.2, translation: [0, 3, 0] },
  { weight: 0.3, translation: [-1, 0, 2] },
  { weight: 0.4, translation: [0, -1, 1] },
];
const sum = [0, 1, 2].map((axis) =>
  JOINTS.reduce((sum, { weight, translation }) => sum + weight * (translation[axis] ?? 0), 0),
);

/** A box that stays, so that the camera has the same view of both models, and a skinned one. */
function createSkinnedBox(): GlbBytes {
  const joints = new Uint8Array(4 * VERTEX_COUNT).map((_, index) => index % 4);
  const weights = new Float32Array(4 * VERTEX_COUNT).map(
    (_, index) => JOINTS[index % 4]?.weight ?? 0,
  );
  return createBoxGlb({
    extraBufferViews: [joints, new Uint8Array(weights.buffer)],
    change(gltf) {
      const accessors = gltf.accessors as object[];
      const first = accessors.length;
      accessors.push(
        { bufferView: 4, componentType: 5121, count: VERTEX_COUNT, type: 'VEC4' },
        { bufferView: 5, componentType: 5126, count: VERTEX_COUNT, type: 'VEC4' },
      );
      const [mesh] = gltf.meshes as [{ primitives: [{ attributes: object }] }];
      const [primitive] = mesh.primitives;
      const attributes = { ...primitive.attributes, JOINTS_0: first, WEIGHTS_0: first + 1 };
      gltf.meshes = [mesh, { primitives: [{ ...primitive, attributes }] }];
      gltf.skins = [{ joints: JOINTS.map((_, index) => 2 + index) }];
      const nodes = JOINTS.map(({ translation }) => ({ translation, rotation }));
      gltf.nodes = [{ mesh: 0 }, { mesh: 1, skin: 0 }, ...nodes];
      gltf.scenes = [{ nodes: (gltf.nodes as object[]).map((_, index) => index) }];
    },
  });
}

function createMovedBox(): GlbBytes {
  return createBoxGlb({
    change(gltf) {
      gltf.nodes = [{ mesh: 0 }, { mesh: 0, rotation, translation: sum }];
      gltf.scenes = [{ nodes: [0, 1] }];
    },
  });
}

it('a skinned box is where its four joints are, weighted', async (t) => {
  const browser = await openSharedChromium();
  t.after(() => browser.close());
  const skinned = await takeModelPicture(t, browser, createSkinnedBox());
  const moved = await takeModelPicture(t, browser, createMovedBox());
  const largest = getLargestDifference(skinned.data, moved.data);
  assert.ok(largest <= 2, `${largest} of 255`);
});
