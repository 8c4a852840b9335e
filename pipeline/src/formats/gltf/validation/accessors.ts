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

export function parseAccessors(
  document: GltfDocument,
  views: GltfBufferView[],
  tally: Budget,
): GltfAccessor[] {
  const accessors = document.accessors.map((part) => parseAccessor(part, views));
  for (const { json, decodedBytes, storage } of accessors) {
    // What is compressed was counted with its buffer view: decoded, the two are the same bytes.
    if (storage.kind !== 'compressed') tally.add('geometryBytes', decodedBytes, json);
  }
  return accessors;
}

/**
 * Refuses a file whose arrays exist mostly by name: without data, or sparse.
 *
 * @param unpacked accessors that have no data of their own because Draco brings it
 */
export function validateEmptyAccessors(
  accessors: readonly GltfAccessor[],
  unpacked: ReadonlySet<GltfAccessor>,
  { fileBytes, tally }: { fileBytes: number; tally: Budget },
): void {
  for (const accessor of accessors) {
    const { json, decodedBytes, storage, sparse } = accessor;
    const isEmpty = storage.kind === 'zeros' && !unpacked.has(accessor);
    if (isEmpty || sparse !== undefined) tally.add('emptyBytes', decodedBytes, json);
  }
  const last = accessors.at(-1);
  if (last) assertExpansionRatio(tally.getTotal('emptyBytes'), fileBytes, tally.limits, last.json);
}

function parseAccessor(json: JsonNode, views: GltfBufferView[]): GltfAccessor {
  const type = json.get('type').oneOf(...ELEMENT_TYPES);
  const componentType = json.get('componentType').oneOf(...COMPONENT_TYPES);
  const normalized = json.find('normalized')?.boolean() ?? false;
  if (normalized && (componentType === FLOAT || componentType === UNSIGNED_INT)) {
    json.fail('type', 'is normalized, which only integers of 8 and 16 bits can be');
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
  part: JsonNode,
  views: GltfBufferView[],
  layout: ElementLayout,
): GltfAccessor['storage'] {
  const viewPart = part.find('bufferView');
  if (viewPart === undefined) return { kind: 'zeros' };
  const range = parseElementRange(part, viewPart.resolveIndex(views, 'buffer views'), layout, true);
  return range === undefined ? { kind: 'compressed' } : { kind: 'stored', range };
}

/** Checks that the elements lie within the view; gives where, unless the view is compressed. */
function parseElementRange(
  part: JsonNode,
  view: GltfBufferView,
  { type, componentType, count }: ElementLayout,
  strided: boolean,
): ElementRange | undefined {
  const size = getElementBytes(type, componentType);
  const stride = (strided && view.byteStride) || size;
  const offset = part.find('byteOffset')?.integer() ?? 0;
  const unit = COMPONENT_BYTES[componentType];
  if (stride < size || stride % unit !== 0) {
    part.fail('stride', `has elements of ${size} bytes in a view with a byteStride of ${stride}`);
  }
  if (offset % unit !== 0)
    part.fail('alignment', `starts at byte ${offset}, not at a multiple of ${unit}`);
  const end = offset + stride * (count - 1) + size;
  if (end > view.length) {
    part.fail(
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
  part: JsonNode,
  views: GltfBufferView[],
  layout: ElementLayout,
): NonNullable<GltfAccessor['sparse']> {
  const count = part.get('count').integer(1, layout.count);
  const indices = part.get('indices').object();
  const componentType = indices
    .get('componentType')
    .oneOf(UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT);
  const where = indices.get('bufferView').resolveIndex(views, 'buffer views');
  const values = part.get('values').object();
  const what = values.get('bufferView').resolveIndex(views, 'buffer views');
  const ranges = {
    indices: parseElementRange(indices, where, { type: 'SCALAR', componentType, count }, false),
    values: parseElementRange(values, what, { ...layout, count }, false),
  };
  if (ranges.indices === undefined || ranges.values === undefined) {
    part.fail('sparse', 'has its values in a compressed buffer view');
  }
  return { indices: ranges.indices, values: ranges.values };
}
