import { assertExpansionRatio } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import { assertSameCount, parseAttributes, parseIndices } from './attributes.ts';
import { DRACO_HEADER_BYTES, validateDracoHeader } from './draco.ts';
import { findExtension } from './extensions.ts';
import { validateVariantMappings } from './materials.ts';
import type { ValidationContext } from './validation-context.ts';

export type GltfPrimitive = {
  readonly json: JsonNode;
  readonly vertexCount: number;
  readonly triangleCount: number;
  readonly position: GltfAccessor | undefined;
  readonly indices: GltfAccessor | undefined;
  readonly jointAccessors: readonly GltfAccessor[];
  /** Accessors whose data Draco brings. */
  readonly dracoAccessors: ReadonlySet<GltfAccessor>;
};

export type GltfMesh = {
  readonly json: JsonNode;
  readonly primitives: readonly GltfPrimitive[];
  /** How many morph targets. */
  readonly morphTargetCount: number;
};

const TRIANGLES = 4;

export function parseMeshes(survey: ValidationContext): GltfMesh[] {
  return survey.document.meshes.map((json) => {
    const parts = json.get('primitives').items();
    const primitives = parts.map((primitive) => parsePrimitive(primitive, survey));
    const counts = parts.map((primitive) => primitive.find('targets')?.items().length ?? 0);
    const targets = counts[0] ?? 0;
    if (counts.some((count) => count !== targets)) {
      json.fail('targets', 'has primitives that differ in their number of morph targets');
    }
    json.find('weights')?.numbers(targets);
    return { json, primitives, morphTargetCount: targets };
  });
}

function parsePrimitive(json: JsonNode, survey: ValidationContext): GltfPrimitive {
  const { document, accessors, scanner, budget } = survey;
  const mode = json.find('mode')?.integer(0, 6) ?? TRIANGLES;
  json.find('material')?.resolveIndex(document.materials, 'materials');
  validateVariantMappings(json, survey);

  const attributes = parseAttributes(json.get('attributes'), accessors, 'primitive');
  const vertexCount = assertSameCount(json, attributes.values());
  const indicesPart = json.find('indices');
  const indices = indicesPart && parseIndices(indicesPart, accessors);
  const triangleCount = countTriangles(mode, indices?.count ?? vertexCount);
  // Strips and fans are unrolled into lists of indices.
  if (mode > TRIANGLES) budget.add('geometryBytes', 12 * triangleCount, json);
  validateMorphTargets(json, vertexCount, survey);

  const dracoAccessors = parseDraco(json, { attributes, indices, triangleCount }, survey);
  const position = attributes.get('POSITION');
  const jointAccessors = [...attributes]
    .filter(([name]) => name.startsWith('JOINTS_'))
    .map(([, a]) => a);
  for (const accessor of [position, indices, ...jointAccessors])
    if (accessor) scanner.request(accessor);
  return { json, vertexCount, triangleCount, position, indices, jointAccessors, dracoAccessors };
}

function countTriangles(mode: number, corners: number): number {
  if (mode < TRIANGLES) return 0;
  return mode === TRIANGLES ? Math.floor(corners / 3) : Math.max(corners - 2, 0);
}

function validateMorphTargets(
  part: JsonNode,
  vertices: number,
  { accessors, scanner, budget }: ValidationContext,
): void {
  for (const target of part.find('targets')?.items() ?? []) {
    const morphs = parseAttributes(target, accessors, 'target');
    assertSameCount(target, morphs.values(), vertices);
    const position = morphs.get('POSITION');
    if (position) scanner.request(position);
    // The viewer keeps morphs in a texture, four floats for each, shared data or not.
    const kept = ['POSITION', 'NORMAL', 'COLOR_0'].filter((name) => morphs.has(name)).length;
    budget.add('geometryBytes', 16 * kept * vertices, target);
  }
}

/** All accessors that have their data from Draco. */
export function listDracoAccessors(meshes: readonly GltfMesh[]): Set<GltfAccessor> {
  return new Set(
    meshes.flatMap(({ primitives }) => primitives.flatMap((p) => [...p.dracoAccessors])),
  );
}

type PrimitiveShape = {
  attributes: Map<string, GltfAccessor>;
  indices: GltfAccessor | undefined;
  triangleCount: number;
};

/** Checks a Draco extension; gives the accessors that have their data from it. */
function parseDraco(
  part: JsonNode,
  { attributes, indices, triangleCount }: PrimitiveShape,
  { document, bufferViews, scanner, budget }: ValidationContext,
): ReadonlySet<GltfAccessor> {
  const draco: JsonNode | undefined = findExtension(part, 'KHR_draco_mesh_compression');
  if (draco === undefined) return new Set();
  if (!document.extensionsUsed.includes('KHR_draco_mesh_compression')) {
    draco.fail('extension-undeclared', 'is not in extensionsUsed');
  }
  const view = draco.get('bufferView').resolveIndex(bufferViews, 'buffer views');
  const region = view.region ?? draco.fail('draco', 'lies in a compressed buffer view');

  const unpacked = new Set(indices && [indices]);
  for (const [semantic, id] of draco.get('attributes').entries()) {
    id.integer(0, 0xffff);
    unpacked.add(
      attributes.get(semantic) ?? id.fail('draco', 'is not an attribute of its primitive'),
    );
  }
  const bytes = [...unpacked].reduce((sum, accessor) => sum + accessor.decodedBytes, 0);
  assertExpansionRatio(bytes, region.length, budget.limits, draco);
  scanner.peek(region, DRACO_HEADER_BYTES, (head) =>
    validateDracoHeader(draco, head, triangleCount),
  );
  return unpacked;
}
