import type { Accessor } from './accessor.ts';
import { readAttributes, readIndices, sameCount } from './attributes.ts';
import { checkDracoHead, DRACO_HEAD_BYTES } from './draco.ts';
import { findExtension } from './extensions.ts';
import { limitExpansion } from './limits.ts';
import { checkVariantMappings } from './materials.ts';
import type { Part } from './part.ts';
import type { Survey } from './survey.ts';

export type Primitive = {
  readonly part: Part;
  readonly vertices: number;
  readonly triangles: number;
  readonly position: Accessor | undefined;
  readonly indices: Accessor | undefined;
  readonly joints: readonly Accessor[];
  /** Accessors whose data Draco brings. */
  readonly unpacked: ReadonlySet<Accessor>;
};

export type Mesh = {
  readonly part: Part;
  readonly primitives: readonly Primitive[];
  /** How many morph targets. */
  readonly targets: number;
};

const TRIANGLES = 4;

export function readMeshes(survey: Survey): Mesh[] {
  return survey.document.meshes.map((part) => {
    const parts = part.get('primitives').items();
    const primitives = parts.map((primitive) => readPrimitive(primitive, survey));
    const counts = parts.map((primitive) => primitive.find('targets')?.items().length ?? 0);
    const targets = counts[0] ?? 0;
    if (counts.some((count) => count !== targets)) {
      part.fail('targets', 'has primitives that differ in their number of morph targets');
    }
    part.find('weights')?.numbers(targets);
    return { part, primitives, targets };
  });
}

function readPrimitive(part: Part, survey: Survey): Primitive {
  const { document, accessors, scans, tally } = survey;
  const mode = part.find('mode')?.integer(0, 6) ?? TRIANGLES;
  part.find('material')?.pick(document.materials, 'materials');
  checkVariantMappings(part, survey);

  const attributes = readAttributes(part.get('attributes'), accessors, 'primitive');
  const vertices = sameCount(part, attributes.values());
  const indicesPart = part.find('indices');
  const indices = indicesPart && readIndices(indicesPart, accessors);
  const triangles = countTriangles(mode, indices?.count ?? vertices);
  // Strips and fans are unrolled into lists of indices.
  if (mode > TRIANGLES) tally.add('geometryBytes', 12 * triangles, part);
  checkTargets(part, vertices, survey);

  const unpacked = readDraco(part, { attributes, indices, triangles }, survey);
  const position = attributes.get('POSITION');
  const joints = [...attributes].filter(([name]) => name.startsWith('JOINTS_')).map(([, a]) => a);
  for (const accessor of [position, indices, ...joints]) if (accessor) scans.ask(accessor);
  return { part, vertices, triangles, position, indices, joints, unpacked };
}

function countTriangles(mode: number, corners: number): number {
  if (mode < TRIANGLES) return 0;
  return mode === TRIANGLES ? Math.floor(corners / 3) : Math.max(corners - 2, 0);
}

function checkTargets(part: Part, vertices: number, { accessors, scans, tally }: Survey): void {
  for (const target of part.find('targets')?.items() ?? []) {
    const morphs = readAttributes(target, accessors, 'target');
    sameCount(target, morphs.values(), vertices);
    const position = morphs.get('POSITION');
    if (position) scans.ask(position);
    // The viewer keeps morphs in a texture, four floats for each, shared data or not.
    const kept = ['POSITION', 'NORMAL', 'COLOR_0'].filter((name) => morphs.has(name)).length;
    tally.add('geometryBytes', 16 * kept * vertices, target);
  }
}

/** All accessors that have their data from Draco. */
export function unpackedBy(meshes: readonly Mesh[]): Set<Accessor> {
  return new Set(meshes.flatMap(({ primitives }) => primitives.flatMap((p) => [...p.unpacked])));
}

type Shape = {
  attributes: Map<string, Accessor>;
  indices: Accessor | undefined;
  triangles: number;
};

/** Checks a Draco extension; gives the accessors that have their data from it. */
function readDraco(
  part: Part,
  { attributes, indices, triangles }: Shape,
  { document, views, scans, tally }: Survey,
): ReadonlySet<Accessor> {
  const draco: Part | undefined = findExtension(part, 'KHR_draco_mesh_compression');
  if (draco === undefined) return new Set();
  if (!document.extensions.includes('KHR_draco_mesh_compression')) {
    draco.fail('extension-undeclared', 'is not in extensionsUsed');
  }
  const view = draco.get('bufferView').pick(views, 'buffer views');
  const region = view.region ?? draco.fail('draco', 'lies in a compressed buffer view');

  const unpacked = new Set(indices && [indices]);
  for (const [semantic, id] of draco.get('attributes').entries()) {
    id.integer(0, 0xffff);
    unpacked.add(
      attributes.get(semantic) ?? id.fail('draco', 'is not an attribute of its primitive'),
    );
  }
  const bytes = [...unpacked].reduce((sum, accessor) => sum + accessor.bytes, 0);
  limitExpansion(bytes, region.length, tally.limits, draco);
  scans.peek(region, DRACO_HEAD_BYTES, (head) => checkDracoHead(draco, head, triangles));
  return unpacked;
}
