import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeCreasedNormals } from './crease-normals.ts';

/** A ring of flat walls around the vertical axis, `sides` of them, each of two triangles. */
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

/** Triangles around one point, all in the plane and then one out of it. */
function makeFan(triangles: number) {
  const positions = [0, 0, 0];
  const indices: number[] = [];
  for (let at = 0; at <= triangles; at++) {
    const angle = (Math.PI * at) / triangles;
    positions.push(Math.cos(angle), Math.sin(angle), 0);
    if (at > 0) indices.push(0, at, at + 1);
  }
  positions.push(0, 0, 1);
  indices.push(0, 1, triangles + 2);
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

describe('creaseNormals', () => {
  it('is smooth over edges that bend little', () => {
    const { positions, normals } = computeCreasedNormals(makeTube(16));
    assert.equal(positions.length / 3, 32);
    for (let at = 0; at < positions.length; at += 3) {
      const out = [positions[at], 0, positions[at + 2]];
      out.forEach((value, axis) => {
        assert.ok(Math.abs((value ?? 0) - (normals?.[at + axis] ?? 0)) < 0.2);
      });
    }
  });

  it('is hard over edges that bend much', () => {
    const { positions } = computeCreasedNormals(makeTube(6));
    assert.equal(positions.length / 3, 24);
  });

  it('keeps hard edges where very many faces meet', () => {
    const { normals = new Float32Array(), indices } = computeCreasedNormals(makeFan(5000));
    const [flat, upright] = [indices[0] ?? 0, indices[indices.length - 3] ?? 0];
    assert.deepEqual(Array.from(normals.slice(3 * flat, 3 * flat + 3)), [0, 0, 1]);
    assert.ok(Math.abs(normals[3 * upright + 2] ?? 1) < 0.01);
  });

  it('gives faces without area a normal all the same', () => {
    const flat = { positions: new Float32Array(9), indices: Uint32Array.of(0, 1, 2) };
    assert.deepEqual(
      Array.from(computeCreasedNormals(flat).normals ?? []),
      [0, 1, 0, 0, 1, 0, 0, 1, 0],
    );
  });

  it('takes its colours along', () => {
    const colors = new Uint16Array(6 * 2 * 4).map((_, at) => at);
    const made = computeCreasedNormals({ ...makeTube(6), colors });
    assert.equal(made.colors?.length, 24 * 4);
    assert.deepEqual(new Set(made.colors), new Set(colors));
  });
});
