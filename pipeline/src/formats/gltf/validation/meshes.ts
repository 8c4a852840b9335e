import { assertExpansionRatio, assertWithinLimit } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import { assertSameCount, parseAttributes, parseIndices } from './attributes.ts';
import { DRACO_HEADER_BYTES, validateDracoHeader } from './draco.ts';
import { findExtension } from './extensions.ts';
import { validateVariantMappings } from './materials.ts';
import type { ValidationContext } from './validation-context.ts';

/** A validated primitive. */
export type GltfPrimitive = {
  readonly json: JsonNode;
  readonly vertexCount: number;
  readonly triangleCount: number;
  readonly position: GltfAccessor | undefined;
  readonly indices: GltfAccessor | undefined;
  readonly jointAccessors: readonly GltfAccessor[];
  /** Accessors whose data is decoded by Draco. */
  readonly dracoAccessors: ReadonlySet<GltfAccessor>;
};

/** A validated mesh. */
export type GltfMesh = {
  readonly json: JsonNode;
  readonly primitives: readonly GltfPrimitive[];
  readonly morphTargetCount: number;
};

const TRIANGLES = 4;

/** Reads the meshes, and requests scans of their positions, indices and joints. */
export function parseMeshes(context: ValidationContext): GltfMesh[] {
  return context.document.meshes.map((json) => {
    const primitiveNodes = json.get('primitives').items();
    const primitives = primitiveNodes.map((primitive) => parsePrimitive(primitive, context));
    const counts = primitiveNodes.map(
      (primitive) => primitive.find('targets')?.items().length ?? 0,
    );
    const morphTargetCount = counts[0] ?? 0;
    if (counts.some((count) => count !== morphTargetCount)) {
      json.fail('targets', 'has primitives that differ in their number of morph targets');
    }
    json.find('weights')?.numbers(morphTargetCount);
    return { json, primitives, morphTargetCount };
  });
}

function parsePrimitive(json: JsonNode, context: ValidationContext): GltfPrimitive {
  const { document, accessors, scanner, budget } = context;
  const mode = json.find('mode')?.integer(0, 6) ?? TRIANGLES;
  json.find('material')?.resolveIndex(document.materials, 'materials');
  validateVariantMappings(json, context);

  const attributes = parseAttributes(json.get('attributes'), accessors, 'primitive');
  const vertexCount = assertSameCount(json, attributes.values());
  const indicesNode = json.find('indices');
  const indices = indicesNode && parseIndices(indicesNode, accessors);
  const triangleCount = countTriangles(mode, indices?.count ?? vertexCount);
  // The viewer converts strips and fans to lists of indices.
  if (mode > TRIANGLES) budget.add('geometryBytes', 12 * triangleCount, json);
  validateMorphTargets(json, vertexCount, context);

  const dracoAccessors = parseDraco(json, { attributes, indices, triangleCount }, context);
  const position = attributes.get('POSITION');
  if (position?.storage.kind === 'zeros' && !position.sparse && !dracoAccessors.has(position)) {
    position.json.fail('no-data', 'is used for POSITION, but has no data');
  }
  const jointAccessors = [...attributes]
    .filter(([name]) => name.startsWith('JOINTS_'))
    .map(([, accessor]) => accessor);
  for (const accessor of [position, indices, ...jointAccessors])
    if (accessor) scanner.requestExtent(accessor);
  return { json, vertexCount, triangleCount, position, indices, jointAccessors, dracoAccessors };
}

function countTriangles(mode: number, cornerCount: number): number {
  if (mode < TRIANGLES) return 0;
  return mode === TRIANGLES ? Math.floor(cornerCount / 3) : Math.max(cornerCount - 2, 0);
}

function validateMorphTargets(
  json: JsonNode,
  vertexCount: number,
  { accessors, scanner, budget }: ValidationContext,
): void {
  const targets = json.find('targets')?.items() ?? [];
  assertWithinLimit('morphTargets', targets.length, budget.limits, json);
  for (const target of targets) {
    const attributes = parseAttributes(target, accessors, 'target');
    assertSameCount(target, attributes.values(), vertexCount);
    const position = attributes.get('POSITION');
    if (position) scanner.requestExtent(position);
    // The viewer stores morph targets in a texture, four floats for each, even if they share data.
    const attributeCount = ['POSITION', 'NORMAL', 'COLOR_0'].filter((name) =>
      attributes.has(name),
    ).length;
    budget.add('geometryBytes', 16 * attributeCount * vertexCount, target);
  }
}

/** Lists all accessors whose data is decoded by Draco. */
export function listDracoAccessors(meshes: readonly GltfMesh[]): Set<GltfAccessor> {
  return new Set(
    meshes.flatMap(({ primitives }) =>
      primitives.flatMap((primitive) => [...primitive.dracoAccessors]),
    ),
  );
}

type PrimitiveShape = {
  attributes: Map<string, GltfAccessor>;
  indices: GltfAccessor | undefined;
  triangleCount: number;
};

/** Checks a Draco extension and returns the accessors whose data it contains. */
function parseDraco(
  json: JsonNode,
  { attributes, indices, triangleCount }: PrimitiveShape,
  { document, bufferViews, scanner, budget }: ValidationContext,
): ReadonlySet<GltfAccessor> {
  const draco: JsonNode | undefined = findExtension(json, 'KHR_draco_mesh_compression');
  if (draco === undefined) return new Set();
  if (!document.extensionsUsed.includes('KHR_draco_mesh_compression')) {
    draco.fail('extension-undeclared', 'is not in extensionsUsed');
  }
  const view = draco.get('bufferView').resolveIndex(bufferViews, 'buffer views');
  const region = view.region ?? draco.fail('draco', 'is in a compressed buffer view');

  const dracoAccessors = new Set(indices && [indices]);
  for (const [semantic, id] of draco.get('attributes').entries()) {
    id.integer(0, 0xffff);
    dracoAccessors.add(
      attributes.get(semantic) ?? id.fail('draco', 'is not an attribute of its primitive'),
    );
  }
  const bytes = [...dracoAccessors].reduce((sum, accessor) => sum + accessor.decodedBytes, 0);
  assertExpansionRatio(bytes, region.length, budget.limits, draco);
  scanner.peek(region, DRACO_HEADER_BYTES, (head) =>
    validateDracoHeader(draco, head, triangleCount),
  );
  return dracoAccessors;
}
