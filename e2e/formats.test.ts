import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { make3mf } from '../server/testing/formats/3mf.ts';
import { makeBrep } from '../server/testing/formats/brep.ts';
import { makeDae } from '../server/testing/formats/dae.ts';
import { makeFbx } from '../server/testing/formats/fbx.ts';
import { makeGltf } from '../server/testing/formats/gltf.ts';
import { makeIfc } from '../server/testing/formats/ifc.ts';
import { makeIges } from '../server/testing/formats/iges.ts';
import { makeMtl, makeObj } from '../server/testing/formats/obj.ts';
import { makePly } from '../server/testing/formats/ply.ts';
import { makeStep } from '../server/testing/formats/step.ts';
import { makeStl } from '../server/testing/formats/stl.ts';
import { makeZip } from '../server/testing/formats/zip.ts';
import { makeBox, makePng } from '../server/testing/models.ts';
import { findPixels, isGreen } from '../viewer/testing/stage.ts';
import { openChromium } from './chromium.ts';
import { Owner } from './owner.ts';
import { RealService } from './real-service.ts';
import { Sites } from './sites.ts';

type Point = readonly [number, number, number];
type Row = {
  name: string;
  bytes: Buffer;
  format: string;
  /** Metres, Y up. */
  min: Point;
  max: Point;
  triangles?: number;
};

const GREEN: Point = [0, 0.8, 0.1];

/** A cube of 10 mm with Z up, turned: what was above is now behind. */
const SMALL = { min: [0, 0, -0.01], max: [0.01, 0.01, 0] } as const;
const UNIT = { min: [0, 0, 0], max: [1, 1, 1] } as const;
const BOX = { min: [-1, -1, -1], max: [1, 1, 1] } as const;

const textured = { size: 2, textured: true };
const apart = makeGltf({ ...textured, apart: { bin: 'box.bin', image: 'white.png' } });
const wood = makeMtl('wood', { Kd: '1 1 1', map_Kd: 'wood.png' });

const ROWS: Row[] = [
  { name: 'GLB', bytes: makeBox({ ...textured, spinning: true }), format: 'glb', ...BOX },
  { name: 'glTF', bytes: makeGltf(textured).gltf, format: 'gltf', ...BOX },
  {
    name: 'zip of a glTF',
    bytes: makeZip({ 'box.gltf': apart.gltf, 'box.bin': apart.bin, 'white.png': apart.image }),
    format: 'gltf',
    ...BOX,
  },
  {
    name: 'zip of a GLB',
    bytes: makeZip({ 'a/b.glb': makeBox({ size: 2 }) }),
    format: 'glb',
    ...BOX,
  },
  { name: 'OBJ', bytes: makeObj(), format: 'obj', ...UNIT },
  {
    name: 'zip of an OBJ',
    bytes: makeZip({
      'a.obj': makeObj({ library: 'a.mtl', parts: [{ name: 'A', material: 'wood' }] }),
      'a.mtl': wood,
      'wood.png': makePng(2, 2, [200, 100, 0]),
    }),
    format: 'obj',
    ...UNIT,
  },
  { name: 'binary STL', bytes: makeStl(), format: 'stl', ...SMALL },
  { name: 'ASCII STL', bytes: makeStl({ ascii: true }), format: 'stl', ...SMALL },
  { name: 'PLY', bytes: makePly({ format: 'binary_little_endian' }), format: 'ply', ...UNIT },
  { name: '3MF', bytes: make3mf(), format: '3mf', ...SMALL, max: [0.03, 0.01, 0], triangles: 24 },
  { name: 'FBX', bytes: makeFbx({ size: 100 }), format: 'fbx', min: [1, 0, 0], max: [2, 1, 1] },
  { name: 'COLLADA', bytes: makeDae(), format: 'dae', ...UNIT },
  { name: 'STEP', bytes: makeStep({ colour: GREEN }), format: 'step', ...SMALL },
  { name: 'IGES', bytes: makeIges(), format: 'iges', ...SMALL },
  { name: 'BREP', bytes: makeBrep(), format: 'brep', ...SMALL },
  { name: 'IFC', bytes: makeIfc(), format: 'ifc', min: [-2, 0, -1.1], max: [2, 3, -0.9] },
];

describe('every format, sent to the real service', () => {
  it('becomes a model of its size, in metres, that a frame loads', async (t) => {
    const service = await RealService.open(t);
    const owner = await Owner.of(service);
    const designs = new Map<string, string>();
    await Promise.all(
      ROWS.map(async (row) => {
        const { status, text, view } = await owner.send(row.bytes);
        assert.equal(status, 201, `${row.name}: ${text}`);
        designs.set(row.name, view.id);
        await check(owner, view.id, row);
      }),
    );
    await checkOnScreen(t, owner, designs.get('STEP') ?? '');
  });
});

async function check(owner: Owner, id: string, { name, format, triangles = 12, ...row }: Row) {
  const { status, problem, stats, report } = await owner.settled(id);
  assert.equal(status, 'ready', `${name}: ${problem?.detail}`);
  assert.deepEqual([report?.format, stats?.triangles], [format, triangles], name);
  const size = Math.max(...row.max.map((value, axis) => value - (row.min[axis] ?? 0)));
  for (const end of ['min', 'max'] as const) {
    for (const [axis, value] of row[end].entries()) {
      const found = stats?.bounds?.[end][axis] ?? Number.NaN;
      assert.ok(Math.abs(found - value) < size / 1000, `${name}: ${end} ${axis} is ${found}`);
    }
  }
  const framed = await owner.framed(id);
  assert.deepEqual(framed.model.bounds, stats?.bounds, name);
  const model = await owner.artifact(framed);
  assert.equal(model.toString('latin1', 0, 4), 'glTF', name);
  assert.equal(model.length, stats?.bytes, name);
}

/** What a visitor sees of a green cube of steel. */
async function checkOnScreen(t: TestContext, owner: Owner, id: string): Promise<void> {
  const sites = await Sites.open(t);
  const { url } = await owner.visit(id, sites.originOf('shop.test'));
  const frame = `<iframe src="${url}" width="440" height="360" style="border:0"></iframe>`;
  const browser = await openChromium();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 480, height: 400 } });
  await page.goto(sites.add('shop.test', '/', frame));
  await page.frames()[1]?.waitForSelector('html[data-state="ready"]');
  // The first picture may be drawn and not yet on the screen.
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { count, left, right, top, bottom } = await findPixels(page, isGreen);
    if (count > 5000 && right - left > 80 && bottom - top > 80) return;
    assert.ok(Date.now() < deadline, `${count} green pixels`);
    await page.waitForTimeout(200);
  }
}

const PATIENCE_MS = 30_000;
