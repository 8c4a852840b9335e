import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PBRSpecularGlossiness, Specular } from '@gltf-transform/extensions';
import { makeGltf } from '../../../testing/formats/gltf.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';

type Json = { [key: string]: unknown } & {
  materials: object[];
  nodes: { extensions?: object; mesh?: number }[];
  scenes: { nodes: number[] }[];
};

function changeGltf(change: (json: Json) => void): (text: string) => string {
  return (text) => {
    const json = JSON.parse(text);
    change(json);
    return JSON.stringify(json);
  };
}

const usingExtension = (name: string) =>
  changeGltf((json) => Object.assign(json, { extensionsUsed: [name] }));
const importChanged = (change: (json: Json) => void) => {
  const { gltf } = makeGltf();
  return importFile(Buffer.from(changeGltf(change)(gltf.toString())), 'gltf');
};
const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';
const withSpecularGlossiness = (extension: object) => (json: Json) => {
  json.extensionsUsed = [SPECULAR_GLOSSINESS];
  json.materials = [{ ...json.materials[0], extensions: { [SPECULAR_GLOSSINESS]: extension } }];
};
const hideNodes = (json: Json) => {
  json.extensionsUsed = ['KHR_node_visibility'];
  json.nodes = json.nodes.map((node) => ({
    ...node,
    extensions: { KHR_node_visibility: { visible: false } },
  }));
};

describe('glTF extensions that are not rendered', () => {
  testImportWarnings(
    'gltf',
    () => makeGltf().gltf,
    [],
    [
      ['an unknown extension', usingExtension('ACME_scent'), ['extension.ignored'], /was ignored/],
      [
        'an extension that the viewer renders, but the library does not read',
        usingExtension('EXT_materials_bump'),
        ['extension.ignored'],
        /EXT_materials_bump/,
      ],
      [
        'diffuse transmission',
        usingExtension('KHR_materials_diffuse_transmission'),
        ['extension.not-rendered'],
        /"KHR_materials_diffuse_transmission" is not rendered/,
      ],
      [
        'primitive restart',
        usingExtension('KHR_mesh_primitive_restart'),
        ['extension.not-rendered'],
      ],
      ['nothing for an extension that is rendered', usingExtension('KHR_materials_sheen'), []],
      ['nothing for a compression', usingExtension('KHR_meshopt_compression'), []],
      ['nothing for Draco, which is decoded', usingExtension('KHR_draco_mesh_compression'), []],
      [
        'nothing for node visibility without hidden nodes',
        usingExtension('KHR_node_visibility'),
        [],
      ],
    ],
  );

  it('converts specular-glossiness to metallic-roughness, with a warning', async () => {
    const extension = {
      diffuseFactor: [1, 0, 0, 1],
      specularFactor: [0.2, 0.2, 0.2],
      glossinessFactor: 0.75,
    };
    const { model, codes, document } = await importChanged(withSpecularGlossiness(extension));
    assert.deepEqual(codes, ['material.converted']);
    assert.partialDeepStrictEqual(model.materials[0], {
      color: [1, 0, 0, 1],
      roughness: 0.25,
      metallic: 0,
    });
    const [material] = document.getRoot().listMaterials();
    assert.equal(material?.getExtension<PBRSpecularGlossiness>(SPECULAR_GLOSSINESS), null);
    assert.deepEqual(
      material?.getExtension<Specular>('KHR_materials_specular')?.getSpecularColorFactor(),
      [0.2, 0.2, 0.2],
    );
  });

  it('leaves out hidden nodes', async () => {
    const { model, codes, document } = await importChanged((json) => {
      json.nodes.push({ mesh: 0 });
      json.scenes[0]?.nodes.push(json.nodes.length - 1);
      const visibleNode = json.nodes.at(-1);
      hideNodes(json);
      json.nodes[json.nodes.length - 1] = visibleNode ?? {};
    });
    const nodesWithMesh = document
      .getRoot()
      .listNodes()
      .filter((node) => node.getMesh());
    assert.equal(nodesWithMesh.length, 1);
    assert.equal(document.getRoot().listExtensionsUsed().length, 0);
    assert.deepEqual(codes, []);
    assert.equal(model.triangles, 12);
  });

  it('refuses a file whose nodes are all hidden', async () => {
    await assert.rejects(importChanged(hideNodes), {
      code: 'design.unreadable',
      message: /are hidden/,
    });
  });
});
