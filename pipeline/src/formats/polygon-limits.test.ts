import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeZip } from '../../testing/formats/zip.ts';
import {
  type MakePolygons,
  makeIndexedOutlineIfc,
  makeOutlineIfc,
  makePolygonObj,
  makeStarCorners,
  POLYGON_FILES,
} from '../../testing/hostile/polygons.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import { getTriangulationBytes, type Triangulator } from '../validation/triangulation-cost.ts';
import { validateModel } from './validate-model.ts';

const BYTES_PER_IFC_SHAPE = 4096;
const MAX_CORNERS = VALIDATION_LIMITS.polygonCorners;

async function getDecodedBytes(make: MakePolygons, cornerCount: number, count: number) {
  const file = make(makeStarCorners(cornerCount), count);
  return { fileBytes: file.length, ...(await validateModel(createBufferReader(file))) };
}

/** The bytes that the polygons add to those of the file. */
async function countAddedBytes(make: MakePolygons, cornerCount: number, count: number) {
  const { decodedBytes, fileBytes } = await getDecodedBytes(make, cornerCount, count);
  return decodedBytes - fileBytes;
}

describe('the corners of polygons count for the time limit', () => {
  for (const { name, make, triangulator } of POLYGON_FILES) {
    it(name, async () => {
      const triangles = await countAddedBytes(make, 3, 4);
      const polygons = (await countAddedBytes(make, 2000, 4)) - triangles;
      assert.ok(
        Math.abs(polygons - 4 * getTriangulationBytes(2000, triangulator)) < 0.01 * polygons,
      );
    });
  }

  it('OBJ in a zip', async () => {
    const obj = makePolygonObj(makeStarCorners(200), 4);
    const plain = await validateModel(createBufferReader(obj));
    const zipped = await validateModel(createBufferReader(makeZip({ 'model.obj': obj })));
    assert.equal(zipped.decodedBytes, plain.decodedBytes);
  });

  for (const [name, make] of Object.entries({ makeOutlineIfc, makeIndexedOutlineIfc })) {
    it(`IFC, ${name}`, async () => {
      const getBytes = async (cornerCount: number) => {
        const file = make(makeStarCorners(cornerCount));
        const { decodedBytes } = await validateModel(createBufferReader(file));
        return decodedBytes - 20 * file.length;
      };
      // The last corner is the first one again.
      const added = (await getBytes(1000)) - (await getBytes(100));
      const expected = getTriangulationBytes(1001, 'earcut') - getTriangulationBytes(101, 'earcut');
      assert.equal(added, expected);
    });
  }

  it('IFC, once for each solid with the outline', async () => {
    const getBytes = async (solidCount: number) => {
      const file = makeOutlineIfc(makeStarCorners(1000), solidCount);
      const { decodedBytes } = await validateModel(createBufferReader(file));
      return decodedBytes - 20 * file.length;
    };
    const added = (await getBytes(10)) - (await getBytes(1));
    assert.equal(added, 9 * (getTriangulationBytes(1001, 'earcut') + BYTES_PER_IFC_SHAPE));
  });

  it('the cost is that of the worst shape', () => {
    const cases: [cornerCount: number, triangulator: Triangulator, bytes: number][] = [
      [3, 'earcut', 0],
      [4, 'earcut', 4],
      [4000, 'earcut', 4e6],
      [3, 'assimp', 0],
      [4000, 'assimp', 64e6],
    ];
    for (const [cornerCount, triangulator, bytes] of cases)
      assert.equal(getTriangulationBytes(cornerCount, triangulator), bytes);
  });
});

describe('a polygon with more corners than are allowed', () => {
  for (const { name, make } of POLYGON_FILES) {
    it(`is refused: ${name}`, async () => {
      await getDecodedBytes(make, MAX_CORNERS, 1);
      await assert.rejects(getDecodedBytes(make, MAX_CORNERS + 1, 1), {
        code: 'design.too-complex',
        reason: 'polygon-corners',
      });
    });
  }
});
