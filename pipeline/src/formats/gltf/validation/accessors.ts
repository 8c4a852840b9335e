import { assertExpansionRatio, type Budget, formatNumber } from '../../../validation/budgets.ts';
import type { JsonNode } from '../../../validation/json-node.ts';
import type { ElementRange, GltfAccessor } from './accessor.ts';
import type { GltfBufferView } from './buffers.ts';
import type { GltfDocument } from './document.ts';
import {
  COMPONENT_BYTES,
  COMPONENT_TYPES,
  type ComponentType,
  ELEMENT_TYPES,
  type ElementType,
  FLOAT,
  getComponentCount,
  getElementBytes,
  UNSIGNED_BYTE,
  UNSIGNED_INT,
  UNSIGNED_SHORT,
} from './element-types.ts';

/** Reads the accessors and counts their decoded bytes. */
export function parseAccessors(
  document: GltfDocument,
  views: GltfBufferView[],
  budget: Budget,
): GltfAccessor[] {
  const accessors = document.accessors.map((json) => parseAccessor(json, views));
  for (const { json, decodedBytes, storage } of accessors) {
    // Compressed data is counted with its buffer view, which decodes to the same bytes.
    if (storage.kind !== 'compressed') budget.add('geometryBytes', decodedBytes, json);
  }
  return accessors;
}

/**
 * Refuses accessors without data, or sparse ones, that decode to far more bytes than the file has.
 *
 * @param dracoAccessors accessors without a buffer view whose data is decoded by Draco
 */
export function validateEmptyAccessors(
  accessors: readonly GltfAccessor[],
  dracoAccessors: ReadonlySet<GltfAccessor>,
  { fileBytes, budget }: { fileBytes: number; budget: Budget },
): void {
  for (const accessor of accessors) {
    const { json, decodedBytes, storage, sparse } = accessor;
    const isEmpty = storage.kind === 'zeros' && !dracoAccessors.has(accessor);
    if (isEmpty || sparse !== undefined) budget.add('emptyBytes', decodedBytes, json);
  }
  const lastAccessor = accessors.at(-1);
  if (lastAccessor)
    assertExpansionRatio(
      budget.getTotal('emptyBytes'),
      fileBytes,
      budget.limits,
      lastAccessor.json,
    );
}

function parseAccessor(json: JsonNode, views: GltfBufferView[]): GltfAccessor {
  const type = json.get('type').oneOf(...ELEMENT_TYPES);
  const componentType = json.get('componentType').oneOf(...COMPONENT_TYPES);
  const normalized = json.find('normalized')?.boolean() ?? false;
  if (normalized && (componentType === FLOAT || componentType === UNSIGNED_INT)) {
    json.fail('type', 'is normalized, which is possible only for integers of 8 and 16 bits');
  }
  const count = json.get('count').integer(1);
  const componentCount = getComponentCount(type);
  const layout = { type, componentType, count };
  const storage = parseStorage(json, views, layout);
  const sparse = json.find('sparse');
  return {
    json,
    ...layout,
    normalized,
    componentCount,
    decodedBytes: count * getElementBytes(type, componentType),
    storage,
    sparse: sparse && parseSparse(sparse, views, layout),
    min: json.find('min')?.numbers(componentCount),
    max: json.find('max')?.numbers(componentCount),
  };
}

type ElementLayout = { type: ElementType; componentType: ComponentType; count: number };

function parseStorage(
  json: JsonNode,
  views: GltfBufferView[],
  layout: ElementLayout,
): GltfAccessor['storage'] {
  const viewIndex = json.find('bufferView');
  if (viewIndex === undefined) return { kind: 'zeros' };
  const range = parseElementRange(
    json,
    viewIndex.resolveIndex(views, 'buffer views'),
    layout,
    true,
  );
  return range === undefined ? { kind: 'compressed' } : { kind: 'stored', range };
}

/** Checks that the elements are within the view. Undefined if the view is compressed. */
function parseElementRange(
  json: JsonNode,
  view: GltfBufferView,
  { type, componentType, count }: ElementLayout,
  usesByteStride: boolean,
): ElementRange | undefined {
  const size = getElementBytes(type, componentType);
  const stride = (usesByteStride && view.byteStride) || size;
  const offset = json.find('byteOffset')?.integer() ?? 0;
  const componentBytes = COMPONENT_BYTES[componentType];
  if (stride < size || stride % componentBytes !== 0) {
    json.fail('stride', `has elements of ${size} bytes in a view with a byteStride of ${stride}`);
  }
  if (offset % componentBytes !== 0)
    json.fail('alignment', `starts at byte ${offset}, not at a multiple of ${componentBytes}`);
  const end = offset + stride * (count - 1) + size;
  if (end > view.length) {
    json.fail(
      'range',
      `ends at byte ${formatNumber(end)}, but its buffer view has ${formatNumber(view.length)}`,
    );
  }
  const componentCount = getComponentCount(type);
  return (
    view.region && { region: view.region, offset, stride, count, componentCount, componentType }
  );
}

function parseSparse(
  json: JsonNode,
  views: GltfBufferView[],
  layout: ElementLayout,
): NonNullable<GltfAccessor['sparse']> {
  const count = json.get('count').integer(1, layout.count);
  const indices = json.get('indices').object();
  const componentType = indices
    .get('componentType')
    .oneOf(UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT);
  const indicesView = indices.get('bufferView').resolveIndex(views, 'buffer views');
  const values = json.get('values').object();
  const valuesView = values.get('bufferView').resolveIndex(views, 'buffer views');
  const ranges = {
    indices: parseElementRange(
      indices,
      indicesView,
      { type: 'SCALAR', componentType, count },
      false,
    ),
    values: parseElementRange(values, valuesView, { ...layout, count }, false),
  };
  if (ranges.indices === undefined || ranges.values === undefined) {
    json.fail('sparse', 'has its sparse values in a compressed buffer view');
  }
  return { indices: ranges.indices, values: ranges.values };
}
