import assert from 'node:assert/strict';
import type { Design } from '@cloche/contract/design';
import { PROCESSING_STEPS } from '@cloche/pipeline/processing-steps';
import { describeModel } from '@cloche/pipeline/testing/formats/describe-model';
import type { Document, WebIO } from '@gltf-transform/core';
// @ts-expect-error: it comes without types
import validator from 'gltf-validator';
import type { RoundTripCase } from './round-trip-cases.ts';

/** A step of eight bits near white, where they are widest. */
const COLOUR_TOLERANCE = 0.005;

/** The file that visitors load is valid glTF, and has what the upload had. */
export async function assertModel(io: WebIO, glb: Buffer, row: RoundTripCase): Promise<void> {
  const { issues } = await validator.validateBytes(glb);
  assert.deepEqual([issues.numErrors, issues.truncated], [0, false], `${row.name}: is not valid`);

  const document = await io.readBinary(glb);
  const model = describeModel(document);
  const colours = model.materials.map(({ color }) => color);
  assert.equal(colours.length, row.colours.length, `${row.name}: materials`);
  assertColours(colours, row.colours, `${row.name}: materials`);
  assertColours(listVertexColours(document), row.vertexColours ?? [], `${row.name}: vertices`);
  const names = model.nodes.filter((name) => name !== '');
  assert.deepEqual(names.sort(), [...row.nodes].sort(), `${row.name}: names`);
  assert.deepEqual(model.animations, row.animations ?? [], `${row.name}: animations`);
  assert.equal(model.textures.length, row.textures ?? 0, `${row.name}: textures`);
}

type Colours = readonly (readonly number[])[];

/** Each that is wanted is there. */
function assertColours(found: Colours, wanted: Colours, where: string): void {
  for (const one of wanted) {
    const isThere = found.some((colour) => isNearColour(colour, one));
    assert.ok(isThere, `${where}: none of ${one} in ${JSON.stringify(found)}`);
  }
}

/** Alpha is 1 where the vertices have none. */
function listVertexColours(document: Document): Colours {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives())
    .flatMap((primitive) => {
      const colours = primitive.getAttribute('COLOR_0');
      return Array.from({ length: colours?.getCount() ?? 0 }, (_, at) => {
        const [red = 0, green = 0, blue = 0, alpha = 1] = colours?.getElement(at, []) ?? [];
        return [red, green, blue, alpha];
      });
    });
}

/** What the API tells of an upload, and of what was made of it. */
export function assertReport({ report, stats }: Design, row: RoundTripCase, made: Buffer): void {
  const { name, bytes, triangles = 12, textures = 0, animations = [], warnings = [] } = row;
  assert.ok(report, name);
  assert.equal(report.before.bytes, bytes.length, name);
  assert.equal(report.after.bytes, made.length, name);
  for (const facts of [report.before, report.after]) {
    const found = [facts.triangles, facts.textures, facts.animations];
    assert.deepEqual(found, [triangles, textures, animations.length], name);
    for (const what of ['vertices', 'nodes', 'meshes', 'materials'] as const) {
      assert.ok(
        Number.isInteger(facts[what]) && facts[what] > 0,
        `${name}: ${facts[what]} ${what}`,
      );
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
  assert.ok(total > 0, `${name}: all took no time`);
}

function isNearColour(colour: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every(
    (value, at) => Math.abs(value - (colour[at] ?? Number.NaN)) < COLOUR_TOLERANCE,
  );
}
