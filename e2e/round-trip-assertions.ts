import assert from 'node:assert/strict';
import type { Design } from '@cloche/contract/design';
import { PROCESSING_STEPS } from '@cloche/pipeline/processing-steps';
import { describeModel } from '@cloche/pipeline/testing/formats/describe-model';
import type { Document, WebIO } from '@gltf-transform/core';
// @ts-expect-error: the package has no types
import validator from 'gltf-validator';
import type { RoundTripCase } from './round-trip-cases.ts';

/** In linear values. Half a step of 8-bit sRGB is less than this, also near white. */
const COLOR_TOLERANCE = 0.005;

/** Asserts that the model is valid glTF and has the content of the upload. */
export async function assertModel(io: WebIO, glb: Buffer, row: RoundTripCase): Promise<void> {
  const { issues } = await validator.validateBytes(glb);
  assert.deepEqual([issues.numErrors, issues.truncated], [0, false], `${row.name}: is not valid`);

  const document = await io.readBinary(glb);
  const model = describeModel(document);
  const colors = model.materials.map(({ color }) => color);
  assert.equal(colors.length, row.colors.length, `${row.name}: materials`);
  assertColors(colors, row.colors, `${row.name}: materials`);
  assertColors(listVertexColors(document), row.vertexColors ?? [], `${row.name}: vertices`);
  const names = model.nodes.filter((name) => name !== '');
  assert.deepEqual(names.sort(), [...row.nodes].sort(), `${row.name}: names`);
  assert.deepEqual(model.animations, row.animations ?? [], `${row.name}: animations`);
  assert.equal(model.textures.length, row.textures ?? 0, `${row.name}: textures`);
}

type Colors = readonly (readonly number[])[];

/** Asserts that each expected color is among the actual ones. */
function assertColors(actual: Colors, expected: Colors, location: string): void {
  for (const color of expected) {
    const isFound = actual.some((candidate) => isNearColor(candidate, color));
    assert.ok(isFound, `${location}: ${color} is not in ${JSON.stringify(actual)}`);
  }
}

/** Lists the colors of all vertices; alpha is 1 where they have none. */
function listVertexColors(document: Document): Colors {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives())
    .flatMap((primitive) => {
      const accessor = primitive.getAttribute('COLOR_0');
      return Array.from({ length: accessor?.getCount() ?? 0 }, (_, index) => {
        const [red = 0, green = 0, blue = 0, alpha = 1] = accessor?.getElement(index, []) ?? [];
        return [red, green, blue, alpha];
      });
    });
}

/** Asserts that the report has the counts of the upload and of the model. */
export function assertReport({ report, stats }: Design, row: RoundTripCase, model: Buffer): void {
  const { name, bytes, triangles = 12, textures = 0, animations = [], warnings = [] } = row;
  assert.ok(report, name);
  assert.equal(report.before.bytes, bytes.length, name);
  assert.equal(report.after.bytes, model.length, name);
  for (const counts of [report.before, report.after]) {
    const actual = [counts.triangles, counts.textures, counts.animations];
    assert.deepEqual(actual, [triangles, textures, animations.length], name);
    for (const key of ['vertices', 'nodes', 'meshes', 'materials'] as const) {
      assert.ok(Number.isInteger(counts[key]) && counts[key] > 0, `${name}: ${counts[key]} ${key}`);
    }
  }
  const { bounds, extensions, ...after } = stats ?? {};
  assert.deepEqual(report.after, after, name);
  const codes = report.warnings.map(({ code }) => code);
  assert.deepEqual(codes, warnings, name);
  for (const { message } of report.warnings) assert.match(message, /^\p{Lu}.{10,}\.$/u, name);
  assertSteps(report.steps, name);
}

function assertSteps(steps: readonly { name: string; durationMs: number }[], name: string): void {
  const found = steps.map((step) => step.name);
  assert.deepEqual(found, PROCESSING_STEPS, name);
  for (const { name: step, durationMs } of steps) {
    assert.ok(
      Number.isInteger(durationMs) && durationMs >= 0 && durationMs < 120_000,
      `${name}: ${step} took ${durationMs} ms`,
    );
  }
  const total = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  assert.ok(total > 0, `${name}: all steps took 0 ms`);
}

function isNearColor(actual: readonly number[], expected: readonly number[]): boolean {
  return expected.every(
    (value, index) => Math.abs(value - (actual[index] ?? Number.NaN)) < COLOR_TOLERANCE,
  );
}
