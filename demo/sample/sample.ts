import { makeLimbs, makeShell } from './beetle.ts';
import { makeFlowers } from './flower.ts';
import { type Shape, weld } from './geometry.ts';
import { type Part, writeGlb } from './glb.ts';
import { makeMoss, makePebbles, makeSoil } from './ground.ts';
import { type Material, makeMaterials } from './materials.ts';
import { type Shaded, shade } from './occlusion.ts';
import { makeRosette } from './rosette.ts';
import type { Vec3 } from './vector.ts';
import { makeBase, makeDome, makeKnob, makePot, makeRing } from './vessel.ts';

type Materials = ReturnType<typeof makeMaterials>;
type Thing = Shaded & { name: string; material: Material };

/**
 * The sample design as a GLB: an echeveria in flower, sheltered by a glass cloche.
 *
 * It is 0.25 m tall, stands on y = 0, looks along +Z, and is the same to the byte at every call.
 */
export function makeSample(): Buffer {
  const materials = makeMaterials();
  const things = makeThings(materials);
  shade(Object.values(things));
  const glass = { name: 'Glass', shape: prepare(makeDome(), materials.glass) };
  const plant = [things.pot, things.soil, things.rosette, things.flowers];
  return writeGlb(
    group('Cloche', [
      group('Base', [things.foot, things.ring]),
      group('Garden', [
        things.moss,
        things.pebbles,
        group('Plant', plant),
        group('Beetle', [things.shell, things.limbs]),
      ]),
      group('Dome', [things.knob, { ...glass, material: materials.glass }]),
    ]),
  );
}

/** Everything but the glass, which neither casts nor shows shade. */
function makeThings(materials: Materials) {
  const { walnut, brass, terracotta, soil, leaf, flower, moss, stone, enamel } = materials;
  const gold: Vec3 = [0.8, 0.6, 0.35];
  return {
    foot: thing('Foot', makeBase(), walnut, [0.2, 0.1, 0.05]),
    ring: thing('Ring', makeRing(), brass, gold),
    moss: { ...thing('Moss', makeMoss(), moss, [0.28, 0.42, 0.1]), depth: 0.88 },
    pebbles: thing('Pebbles', makePebbles(), stone, [0.5, 0.47, 0.42]),
    pot: thing('Pot', makePot(), terracotta, [0.55, 0.25, 0.15]),
    soil: { ...thing('Soil', makeSoil(), soil, [0.1, 0.06, 0.04]), depth: 0.7 },
    rosette: { ...thing('Rosette', makeRosette(), leaf, [0.62, 0.75, 0.6]), depth: 0.86 },
    flowers: { ...thing('Flowers', makeFlowers(), flower, [0.8, 0.5, 0.4]), depth: 0.8 },
    shell: thing('Shell', makeShell(), enamel, [0.2, 0.4, 0.35]),
    limbs: thing('Limbs', makeLimbs(), brass, gold),
    knob: thing('Knob', makeKnob(), brass, gold),
  };
}

function thing(name: string, shape: Shape, material: Material, albedo: Vec3): Thing {
  return { name, shape: prepare(shape, material), material, albedo, depth: 1 };
}

/** Textures alone need the seams, so shapes without them lose theirs. */
function prepare(shape: Shape, material: Material): Shape {
  if (!material.textures) for (const vertex of shape.vertices) vertex.uv = [0, 0];
  return weld(shape);
}

const group = (name: string, parts: readonly Part[]): Part => ({ name, parts });
