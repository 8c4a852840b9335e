import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeCreasedNormals } from './crease-normals.ts';

/** Creates an open prism around the vertical axis; each of its `sides` is two triangles. */
function makeTube(sides: number) {
  const positions = new Float32Array(sides * 6);
  const indices: number[] = [];
  for (let side = 0; side < sides; side++) {
    const angle = (2 * Math.PI * side) / sides;
    const [x, z] = [Math.sin(angle), Math.cos(angle)];
    positions.set([x, 0, z, x, 1, z], 6 * side);
    const [a, b] = [2 * side, 2 * ((side + 1) % sides)];
    indices.push(a, b, b + 1, a, b + 1, a + 1);
  }
  return { positions, indices: Uint32Array.from(indices) };
}

/** Creates triangles around the origin: all in the xy plane except the last, which is upright. */
function makeFan(triangles: number) {
  const positions = [0, 0, 0];
  const indices: number[] = [];
  for (let index = 0; index <= triangles; index++) {
    const angle = (Math.PI * index) / triangles;
    positions.push(Math.cos(angle), Math.sin(angle), 0);
    if (index > 0) indices.push(0, index, index + 1);
  }
  positions.push(0, 0, 1);
  indices.push(0, 1, triangles + 2);
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

describe('computeCreasedNormals', () => {
  it('smooths across edges that bend by less than 35 degrees', () => {
    const { positions, normals } = computeCreasedNormals(makeTube(16));
    assert.equal(positions.length / 3, 32);
    for (let offset = 0; offset < positions.length; offset += 3) {
      const outward = [positions[offset], 0, positions[offset + 2]];
      outward.forEach((value, axis) => {
        assert.ok(Math.abs((value ?? 0) - (normals?.[offset + axis] ?? 0)) < 0.2);
      });
    }
  });

  it('splits vertices on edges that bend by more than 35 degrees', () => {
    const { positions } = computeCreasedNormals(makeTube(6));
    assert.equal(positions.length / 3, 24);
  });

  it('keeps a hard edge at a vertex with 5000 faces', () => {
    const { normals = new Float32Array(), indices } = computeCreasedNormals(makeFan(5000));
    const [flat, upright] = [indices[0] ?? 0, indices[indices.length - 3] ?? 0];
    assert.deepEqual(Array.from(normals.slice(3 * flat, 3 * flat + 3)), [0, 0, 1]);
    assert.ok(Math.abs(normals[3 * upright + 2] ?? 1) < 0.01);
  });

  it('gives a face without area the normal (0, 1, 0)', () => {
    const flat = { positions: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) };
    assert.deepEqual(
      Array.from(computeCreasedNormals(flat).normals ?? []),
      [0, 1, 0, 0, 1, 0, 0, 1, 0],
    );
  });

  it('copies the colors to the split vertices', () => {
    const colors = new Uint16Array(6 * 2 * 4).map((_, index) => index);
    const split = computeCreasedNormals({ ...makeTube(6), colors });
    assert.equal(split.colors?.length, 24 * 4);
    assert.deepEqual(new Set(split.colors), new Set(colors));
  });
});
