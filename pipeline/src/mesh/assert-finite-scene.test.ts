import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document, type mat4 } from '@gltf-transform/core';
import { make3mf } from '../../testing/formats/3mf.ts';
import { importFile } from '../../testing/formats/import-file.ts';
import { makeZip } from '../../testing/formats/zip.ts';
import { validateModel } from '../formats/validate-model.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { assertFiniteScene } from './assert-finite-scene.ts';

const scale = (factor: number): mat4 =>
  [...[factor, 0, 0, 0], ...[0, factor, 0, 0], ...[0, 0, factor, 0], ...[0, 0, 0, 1]] as mat4;

/** Creates a scene with one triangle below a chain of nodes. */
function createScene(matrices: readonly mat4[], positions = [0, 0, 0, 1, 0, 0, 0, 1, 0]): Document {
  const document = new Document();
  const accessor = document.createAccessor().setType('VEC3').setArray(new Float32Array(positions));
  const primitive = document.createPrimitive().setAttribute('POSITION', accessor);
  const mesh = document.createMesh().addPrimitive(primitive);
  const root = document.createNode();
  document.createScene().addChild(root);
  let parent = root;
  for (const matrix of matrices) {
    const node = document.createNode('Arm').setMatrix(matrix);
    parent.addChild(node);
    parent = node;
  }
  parent.setMesh(mesh);
  return document;
}

it('refuses transforms beyond the range of 32-bit floats, also of nested parts', () => {
  const problem = { code: 'design.unreadable', reason: 'transform', message: /^The part "Arm" is/ };
  const refused = [[scale(1e308)], [scale(1e30), scale(1e30)], [scale(0)]];
  for (const matrices of refused) {
    assert.throws(() => assertFiniteScene(createScene(matrices)), problem);
  }
  for (const matrices of [[], [scale(1e30)], [scale(1e30), scale(1e-30), scale(1e30)]]) {
    assertFiniteScene(createScene(matrices));
  }
});

it('refuses coordinates that are not finite', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => assertFiniteScene(createScene([], [0, 0, 0, 1, value, 0, 0, 1, 0])), {
      reason: 'transform',
    });
});

it('a chain of a hundred thousand nodes takes no recursion', () => {
  assertFiniteScene(createScene(Array.from({ length: 1e5 }, () => scale(1))));
});

it('a 3MF with a huge transform is refused before it is imported, nested ones by the import', async () => {
  const replaceTransform = (transform: string) =>
    createArchive(`<item objectid="2" transform="${transform}"/>`);
  const huge = replaceTransform('1e308 0 0 0 1e308 0 0 0 1e308 0 0 0');
  await assert.rejects(validateModel(createBufferReader(huge)), {
    code: 'design.unreadable',
    reason: 'transform',
  });
  const nested = createArchive('<item objectid="3" transform="1e30 0 0 0 1e30 0 0 0 1e30 0 0 0"/>');
  assert.equal((await validateModel(createBufferReader(nested))).detectedFormat.format, '3mf');
  await assert.rejects(importFile(nested, '3mf'), {
    code: 'design.unreadable',
    reason: 'transform',
  });
  assert.deepEqual((await importFile(make3mf(), '3mf')).codes, []);
});

function createArchive(item: string): Buffer {
  const mesh =
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="9" y="0" z="0"/><vertex x="0" y="9" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>';
  const component = '<component objectid="2" transform="1e30 0 0 0 1e30 0 0 0 1e30 0 0 0"/>';
  const objects = `<object id="2" type="model">${mesh}</object><object id="3" type="model"><components>${component}</components></object>`;
  return makeZip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Target="/3D/start.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>',
    '3D/start.model': `<model unit="millimeter"><resources>${objects}</resources><build>${item}</build></model>`,
  });
}
