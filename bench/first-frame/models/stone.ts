import { Document, WebIO } from '@gltf-transform/core';
import sharp from 'sharp';

export type StoneOptions = {
  rows: number;
  columns: number;
  /** In pixels. */
  textureSize: number;
  /** 1: the color; 3: also roughness and occlusion. */
  textures: 1 | 3;
};

/** Generates a GLB of a stone with textures. */
export async function makeStone({
  rows,
  columns,
  textureSize,
  textures,
}: StoneOptions): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const { positions, texCoords, indices } = makeGeometry(rows, columns);
  const accessor = (
    array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
    type: 'VEC3' | 'VEC2' | 'SCALAR',
  ) => document.createAccessor().setArray(array).setType(type).setBuffer(buffer);
  const texture = async (mean: number) =>
    document
      .createTexture()
      .setMimeType('image/png')
      .setImage(await makeNoiseTexture(textureSize, mean));
  const material = document
    .createMaterial()
    .setMetallicFactor(0)
    .setBaseColorTexture(await texture(90));
  if (textures === 3) {
    material
      .setMetallicRoughnessTexture(await texture(140))
      .setOcclusionTexture(await texture(200));
  }
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', accessor(positions, 'VEC3'))
    .setAttribute('TEXCOORD_0', accessor(texCoords, 'VEC2'))
    .setIndices(accessor(indices, 'SCALAR'));
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  return new WebIO().writeBinary(document);
}

function makeGeometry(rows: number, columns: number) {
  const positions: number[] = [];
  const texCoords: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const [v, u] = [row / rows, column / columns];
      const [theta, phi] = [v * Math.PI, u * 2 * Math.PI];
      const radius =
        1 + 0.08 * Math.sin(5 * phi) * Math.sin(4 * theta) + 0.02 * Math.sin(23 * theta);
      const ringRadius = Math.sin(theta) * radius;
      positions.push(
        ringRadius * Math.cos(phi),
        Math.cos(theta) * radius,
        ringRadius * Math.sin(phi),
      );
      texCoords.push(u * 4, v * 4);
      if (row === rows || column === columns) continue;
      const index = row * (columns + 1) + column;
      const below = index + columns + 1;
      indices.push(index, index + 1, below, index + 1, below + 1, below);
    }
  }
  return {
    positions: new Float32Array(positions),
    texCoords: new Float32Array(texCoords),
    indices: new Uint32Array(indices),
  };
}

async function makeNoiseTexture(size: number, mean: number): Promise<Uint8Array> {
  const noise = { type: 'gaussian', mean, sigma: 30 } as const;
  const create = {
    width: size,
    height: size,
    channels: 3,
    background: '#000',
    noise,
  } as const;
  return sharp({ create }).blur(1.5).png().toBuffer();
}
