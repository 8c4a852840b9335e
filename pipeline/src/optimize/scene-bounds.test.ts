import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, type mat4 } from '@gltf-transform/core';
import { EXTMeshGPUInstancing } from '@gltf-transform/extensions';
import * as THREE from 'three';
import { computeSceneBounds } from './scene-bounds.ts';

const POSITIONS = Float32Array.of(0, 0, 0, 2, 0, 0, 0, 1, 0.5, -1, 0.3, 4);
const ROTATION = new THREE.Quaternion().setFromEuler(new THREE.Euler(0.3, 1.1, -0.7));

function makeDocument() {
  const document = new Document();
  const buffer = document.createBuffer();
  const toAccessor = (
    type: 'VEC3' | 'VEC4' | 'MAT4',
    array: Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
  ) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', toAccessor('VEC3', POSITIONS));
  const mesh = document.createMesh().addPrimitive(primitive);
  const node = document.createNode().setMesh(mesh).setTranslation([5, -2, 1]).setScale([1, 2, 3]);
  node.setRotation(ROTATION.toArray());
  const scene = document.createScene().addChild(node);
  return { document, toAccessor, primitive, mesh, node, scene };
}

function makeGeometry(): THREE.BufferGeometry {
  return new THREE.BufferGeometry().setAttribute(
    'position',
    new THREE.BufferAttribute(POSITIONS, 3),
  );
}

function placeLikeNode<Item extends THREE.Object3D>(object: Item): Item {
  object.position.set(5, -2, 1);
  object.scale.set(1, 2, 3);
  object.quaternion.copy(ROTATION);
  return object;
}

function assertLikeThree(document: Document, ...objects: THREE.Object3D[]): void {
  const bounds = computeSceneBounds(document) ?? assert.fail('the scene is empty');
  const group = new THREE.Group().add(...objects);
  group.updateMatrixWorld(true);
  const box = new THREE.Box3().setFromObject(group, true);
  const actual = [...bounds.min, ...bounds.max];
  [...box.min.toArray(), ...box.max.toArray()].forEach((expected, index) => {
    assert.ok(
      Math.abs((actual[index] ?? Number.NaN) - expected) < 1e-5,
      `${actual} and ${expected}`,
    );
  });
}

describe('computeSceneBounds is the precise Box3 of three.js for', () => {
  it('a rotated mesh', () => {
    const { document } = makeDocument();
    assertLikeThree(document, placeLikeNode(new THREE.Mesh(makeGeometry())));
  });

  it('instances that are moved, rotated and scaled', () => {
    const { document, toAccessor, node } = makeDocument();
    const transforms = [0, 1, 2, 3].map((index) => ({
      translation: new THREE.Vector3(10 * index, index ** 2, -3 * index),
      rotation: new THREE.Quaternion().setFromEuler(new THREE.Euler(index, 2 * index, 0.2)),
      scale: new THREE.Vector3(1 + index, 1, 0.5),
    }));
    const flatten = (values: { toArray(): number[] }[]) =>
      Float32Array.from(values.flatMap((value) => value.toArray()));
    const instances = document
      .createExtension(EXTMeshGPUInstancing)
      .createInstancedMesh()
      .setAttribute(
        'TRANSLATION',
        toAccessor('VEC3', flatten(transforms.map((t) => t.translation))),
      )
      .setAttribute('ROTATION', toAccessor('VEC4', flatten(transforms.map((t) => t.rotation))))
      .setAttribute('SCALE', toAccessor('VEC3', flatten(transforms.map((t) => t.scale))));
    node.setExtension('EXT_mesh_gpu_instancing', instances);
    // Separate meshes: three.js transforms only the box of an InstancedMesh.
    const copies = transforms.map(({ translation, rotation, scale }) => {
      const copy = new THREE.Mesh(makeGeometry());
      copy.position.copy(translation);
      copy.quaternion.copy(rotation);
      copy.scale.copy(scale);
      return copy;
    });
    assertLikeThree(document, placeLikeNode(new THREE.Group()).add(...copies));
  });

  it('a skin whose joints differ', () => {
    const { document, toAccessor, primitive, node, scene } = makeDocument();
    const joints = Uint8Array.of(0, 1, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 2, 0, 0);
    const weights = Float32Array.of(0.5, 0.5, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0, 0.1, 0.9, 0, 0);
    primitive.setAttribute('JOINTS_0', toAccessor('VEC4', joints));
    primitive.setAttribute('WEIGHTS_0', toAccessor('VEC4', weights));
    const inverses = [0, 1, 2].map((index) => new THREE.Matrix4().makeTranslation(-index, 0.5, 0));
    const skin = document
      .createSkin()
      .setInverseBindMatrices(
        toAccessor('MAT4', Float32Array.from(inverses.flatMap((matrix) => matrix.elements))),
      );
    const bones = [0, 1, 2].map((index) => {
      const bone = new THREE.Bone();
      bone.position.set(3 * index, index, -7 * index);
      bone.quaternion.copy(ROTATION);
      bone.updateMatrix();
      const joint = document.createNode().setMatrix(bone.matrix.elements as unknown as mat4);
      scene.addChild(joint);
      skin.addJoint(joint);
      return bone;
    });
    node.setSkin(skin);
    const geometry = makeGeometry()
      .setAttribute('skinIndex', new THREE.BufferAttribute(joints, 4))
      .setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
    const mesh = placeLikeNode(new THREE.SkinnedMesh(geometry));
    mesh.bind(new THREE.Skeleton(bones, inverses), new THREE.Matrix4());
    const group = new THREE.Group().add(...bones);
    group.updateMatrixWorld(true);
    assertLikeThree(document, mesh, group);
  });

  it('morph targets with weights', () => {
    const { document, toAccessor, primitive, mesh } = makeDocument();
    const deltas = Float32Array.of(0, 0, 0, 9, 0, 0, 0, -6, 0, 0, 0, 1);
    primitive.addTarget(
      document.createPrimitiveTarget().setAttribute('POSITION', toAccessor('VEC3', deltas)),
    );
    mesh.setWeights([0.5]);
    const geometry = makeGeometry();
    geometry.morphAttributes.position = [new THREE.BufferAttribute(deltas, 3)];
    geometry.morphTargetsRelative = true;
    const object = new THREE.Mesh(geometry);
    object.morphTargetInfluences = [0.5];
    assertLikeThree(document, placeLikeNode(object));
  });
});
