import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContactShadow } from '@cloche/contract/contact-shadow';
import type { Document, Material } from '@gltf-transform/core';
import { EXTMeshGPUInstancing, KHRMaterialsTransmission } from '@gltf-transform/extensions';
import sharp from 'sharp';
import {
  createBoxMesh,
  createMeshDocument,
  createRodMesh,
  createTableMeshes,
} from '../../../testing/shadow-models.ts';
import { createStaticCopy } from '../preview/static-copy.ts';
import { bakeShadow } from './bake-shadow.ts';

/** A shadow whose darkness, from 0 to 255, can be read at a position in meters. */
async function bake(document: Document) {
  const shadow = (await bakeShadow(document)) ?? assert.fail('There is no shadow.');
  return { shadow, ...(await readImage(shadow)) };
}

async function readImage({ rectangle, image }: ContactShadow) {
  const bytes = Buffer.from(image, 'base64');
  const { data, info } = await sharp(bytes)
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [minX, minZ, maxX, maxZ] = rectangle;
  const at = (x: number, z: number) => {
    const column = Math.floor(((x - minX) / (maxX - minX)) * info.width);
    const row = Math.floor(((z - minZ) / (maxZ - minZ)) * info.height);
    return data[row * info.width + column] as number;
  };
  return { at, data, bytes, width: info.width, height: info.height };
}

const getNode = (document: Document) =>
  document.getRoot().listNodes()[0] ?? assert.fail('There is no node.');

/** WebP is lossy. */
const TOLERANCE = 6;

describe('the shadow of', () => {
  it('a box is below it, symmetric, and ends within the image', async () => {
    const { shadow, at, data, width, height, bytes } = await bake(
      createMeshDocument([createBoxMesh([1, 1, 1])]),
    );
    assert.deepEqual([width, height], [256, 256]);
    assert.ok(Math.abs(shadow.y + 0.5) < 0.01 && shadow.y < -0.5);
    assert.ok(at(0, 0) > 245 && at(0.45, -0.45) > 240, `${at(0, 0)}`);
    assert.ok(at(0.6, 0) > 20 && at(0.6, 0) < 150, `${at(0.6, 0)}`);
    for (const [x, z] of [
      [0.3, 0.2],
      [0.55, 0.1],
      [0.6, 0.55],
      [0.8, 0.2],
    ] as const) {
      for (const other of [at(-x, z), at(x, -z), at(z, x)]) {
        assert.ok(Math.abs(at(x, z) - other) < 2 * TOLERANCE, `${at(x, z)}, ${other}`);
      }
    }
    for (let index = 0; index < 256; index++) {
      for (const texel of [index, 255 * 256 + index, index * 256, index * 256 + 255]) {
        assert.ok((data[texel] as number) <= 1, 'the shadow is cut off');
      }
    }
    assert.ok(bytes.length < 1500, `${bytes.length} bytes`);
  });

  it('a standing rod is the same in all directions: no streaks', async () => {
    const { at } = await bake(createMeshDocument([createRodMesh(0.004, 1)]));
    assert.ok(at(0, 0) > 100, `${at(0, 0)}`);
    for (const distance of [0.002, 0.005, 0.008, 0.012]) {
      const ring = Array.from({ length: 72 }, (_, index) => {
        const angle = (index / 72) * 2 * Math.PI;
        return at(distance * Math.cos(angle), distance * Math.sin(angle));
      });
      const spread = Math.max(...ring) - Math.min(...ring);
      assert.ok(spread < 40, `${spread} at ${distance} m: ${ring}`);
    }
  });

  it('a lying rod is as long and as straight as it is', async () => {
    const document = createMeshDocument([createRodMesh(0.002, 1, 8)]);
    const angle = 0.4;
    // Onto the x axis, then around the y axis.
    const lying = [0, 0, -Math.SQRT1_2, Math.SQRT1_2] as const;
    const [s, c] = [Math.sin(angle / 2), Math.cos(angle / 2)];
    const rotation = [s * lying[2], s * lying[3], c * lying[2], c * lying[3]] as const;
    getNode(document).setRotation([...rotation]);
    const { at } = await bake(document);
    const point = (along: number, across: number) =>
      at(
        along * Math.cos(angle) + across * Math.sin(angle),
        -along * Math.sin(angle) + across * Math.cos(angle),
      );
    const along = Array.from({ length: 81 }, (_, index) => point(0.1 + index * 0.01, 0));
    const [min, max] = [Math.min(...along), Math.max(...along)];
    assert.ok(min > 40 && max - min < 0.6 * max, `${along}`);
    for (const across of [-0.05, 0.05]) {
      const beside = Array.from({ length: 81 }, (_, index) => point(0.1 + index * 0.01, across));
      assert.ok(Math.max(...beside) < 10, `${beside}`);
    }
    assert.ok(point(-0.05, 0) < 10 && point(1.05, 0) < 10);
  });

  it('a table is dark at its four legs, and soft below its top', async () => {
    const { at, width, height } = await bake(createMeshDocument(createTableMeshes()));
    assert.ok(width === 256 && height < 256);
    const [leg, center, outside] = [at(0.55, 0.35), at(0, 0), at(0.9, 0.6)];
    assert.ok(
      leg > 200 && center > 40 && center < 130 && outside < center / 2,
      `${[leg, center, outside]}`,
    );
  });

  it('instances is below all of them', async () => {
    const document = createMeshDocument([createBoxMesh([0.2, 0.2, 0.2])]);
    const extension = document.createExtension(EXTMeshGPUInstancing);
    const translation = document
      .createAccessor()
      .setType('VEC3')
      .setArray(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 1))
      .setBuffer(document.getRoot().listBuffers()[0] ?? null);
    getNode(document).setExtension(
      'EXT_mesh_gpu_instancing',
      extension.createInstancedMesh().setAttribute('TRANSLATION', translation),
    );
    const { at } = await bake(document);
    for (const [x, z] of [
      [0, 0],
      [1, 0],
      [0, 1],
    ] as const)
      assert.ok(at(x, z) > 230);
    assert.ok(at(1, 1) < 10);
  });

  it('a skin is below its current pose', async () => {
    const document = createMeshDocument([createBoxMesh([0.2, 0.2, 0.2])]);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const joint = document.createNode('Joint').setTranslation([3, 0, 0]);
    getNode(document).addChild(joint).setSkin(document.createSkin().addJoint(joint));
    const buffer = document.getRoot().listBuffers()[0] ?? null;
    const ones = Float32Array.from({ length: 32 }, (_, index) => Number(index % 4 === 0));
    const weights = document.createAccessor().setType('VEC4').setArray(ones).setBuffer(buffer);
    const joints = document.createAccessor().setType('VEC4').setArray(new Uint16Array(32));
    primitive?.setAttribute('WEIGHTS_0', weights);
    primitive?.setAttribute('JOINTS_0', joints.setBuffer(buffer));
    const { at } = await bake(document);
    assert.ok(at(3, 0) > 230);
  });

  it('an animation is below its first pose', async () => {
    const document = createMeshDocument([createBoxMesh([0.2, 0.2, 0.2])]);
    const buffer = document.getRoot().listBuffers()[0] ?? null;
    const times = document.createAccessor().setArray(Float32Array.of(0, 1)).setBuffer(buffer);
    const values = document
      .createAccessor()
      .setType('VEC3')
      .setArray(Float32Array.of(5, 0, 0, 9, 0, 0))
      .setBuffer(buffer);
    const sampler = document.createAnimationSampler().setInput(times).setOutput(values);
    const channel = document
      .createAnimationChannel()
      .setTargetNode(getNode(document))
      .setTargetPath('translation')
      .setSampler(sampler);
    document.createAnimation().addSampler(sampler).addChannel(channel);
    const { at } = await bake(await createStaticCopy(document));
    assert.ok(at(5, 0) > 230);
  });
});

describe('the shadow of a material', () => {
  const change = (name: string, changeMaterial: (material: Material, document: Document) => void) =>
    ({ name, changeMaterial }) as const;
  const rows: [ReturnType<typeof change>, min: number, max: number][] = [
    [change('that is opaque', () => {}), 240, 255],
    [
      change('that is half transparent', (material) =>
        material.setAlphaMode('BLEND').setAlpha(0.5),
      ),
      140,
      190,
    ],
    [
      change('that is nearly invisible', (material) =>
        material.setAlphaMode('BLEND').setAlpha(0.02),
      ),
      0,
      5,
    ],
    [change('whose alpha is not used', (material) => material.setAlpha(0.5)), 240, 255],
    [
      change('with a mask that cuts all', (material) =>
        material.setAlphaMode('MASK').setAlpha(0.4),
      ),
      0,
      2,
    ],
    [
      change('with a mask that cuts nothing', (material) =>
        material.setAlphaMode('MASK').setAlpha(0.6),
      ),
      240,
      255,
    ],
    [
      change('that transmits light', (material, document) => {
        const extension = document.createExtension(KHRMaterialsTransmission);
        const transmission = extension.createTransmission().setTransmissionFactor(1);
        material.setExtension('KHR_materials_transmission', transmission);
      }),
      0,
      2,
    ],
  ];
  for (const [{ name, changeMaterial }, min, max] of rows) {
    it(`${name} is ${min} to ${max} of 255`, async () => {
      const { at } = await bake(createMeshDocument([createBoxMesh([1, 0.01, 1])], changeMaterial));
      assert.ok(at(0, 0) >= min && at(0, 0) <= max, `${at(0, 0)}`);
    });
  }

  for (const mode of ['MASK', 'BLEND'] as const) {
    it(`whose texture has a transparent half (${mode}) is on the other side`, async () => {
      const rgba = Buffer.alloc(64 * 64 * 4, 255);
      for (let pixel = 0; pixel < 64 * 64; pixel++) {
        if (pixel % 64 < 32) rgba[pixel * 4 + 3] = 0;
      }
      const raw = { width: 64, height: 64, channels: 4 } as const;
      const image = await sharp(rgba, { raw }).png().toBuffer();
      // A strip of 8 quads, so that triangles are on both sides of the edge.
      const positions = Array.from({ length: 9 }, (_, index) => [index, 0, 0, index, 0, 1]).flat();
      const indices = Array.from({ length: 8 }, (_, index) =>
        [0, 1, 2, 2, 1, 3].map((corner) => 2 * index + corner),
      ).flat();
      const document = createMeshDocument([{ positions, indices }], (material, into) => {
        const texture = into.createTexture().setImage(image).setMimeType('image/png');
        material.setAlphaMode(mode).setBaseColorTexture(texture);
      });
      const coordinates = Array.from({ length: 9 }, (_, index) => [index / 8, 0, index / 8, 1]);
      const accessor = document
        .createAccessor()
        .setType('VEC2')
        .setArray(Float32Array.from(coordinates.flat()))
        .setBuffer(document.getRoot().listBuffers()[0] ?? null);
      const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
      primitive?.setAttribute('TEXCOORD_0', accessor);
      const { at } = await bake(document);
      assert.ok(at(2, 0.5) < 10 && at(6, 0.5) > 230, `${at(2, 0.5)}, ${at(6, 0.5)}`);
    });
  }
});

describe('a hostile model', () => {
  const scale = (factor: number) => {
    const { positions, indices } = createBoxMesh([1, 1, 1]);
    return { positions: positions.map((value) => value * factor), indices };
  };

  it('has a shadow at any scale', async () => {
    const { data } = await bake(createMeshDocument([scale(1)]));
    for (const factor of [1e-30, 1e-9, 1e9, 1e30]) {
      const { data: other } = await bake(createMeshDocument([scale(factor)]));
      const difference = data.findIndex(
        (value, index) => Math.abs(value - (other[index] as number)) > 2 * TOLERANCE,
      );
      assert.equal(difference, -1, `${factor}`);
    }
  });

  const empty: [string, Document][] = [
    ['without triangles', createMeshDocument([])],
    ['without extent', createMeshDocument([scale(0)])],
    ['of an infinite size', createMeshDocument([scale(Infinity)])],
    ['that is not a number', createMeshDocument([scale(Number.NaN)])],
    [
      'larger than numbers can be',
      (() => {
        const document = createMeshDocument([scale(1e30)]);
        getNode(document).setScale([1e300, 1e300, 1e300]);
        return document;
      })(),
    ],
  ];
  for (const [name, document] of empty) {
    it(`${name} has no shadow`, async () => {
      assert.equal(await bakeShadow(document), undefined);
    });
  }

  it('with one vertex that is not a number has the shadow of the rest', async () => {
    const mesh = createBoxMesh([1, 1, 1]);
    mesh.positions.push(Number.NaN, 0, 0);
    mesh.indices.push(0, 1, 8);
    const { at } = await bake(createMeshDocument([mesh]));
    assert.ok(at(0, 0) > 245);
  });

  it('of lines and points has no dark spot', async () => {
    const document = createMeshDocument([createBoxMesh([1, 1, 1])]);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    primitive?.setMode(0);
    const { data } = await bake(document);
    assert.ok(data.every((value) => value <= 1));
  });
});

describe('a baked shadow', () => {
  it('is the same each time', async () => {
    const make = () => bakeShadow(createMeshDocument(createTableMeshes()));
    assert.deepEqual(await make(), await make());
  });
});
