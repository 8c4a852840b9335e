import type { Accessor, Range } from './accessor.ts';
import type { View } from './buffers.ts';
import type { Document } from './document.ts';
import {
  COMPONENT_BYTES,
  COMPONENT_TYPES,
  type ComponentType,
  componentsOf,
  ELEMENT_TYPES,
  type ElementType,
  elementBytes,
  FLOAT,
  UNSIGNED_BYTE,
  UNSIGNED_INT,
  UNSIGNED_SHORT,
} from './element.ts';
import { grouped, limitExpansion, type Tally } from './limits.ts';
import type { Part } from './part.ts';

export function readAccessors(document: Document, views: View[], tally: Tally): Accessor[] {
  const accessors = document.accessors.map((part) => readAccessor(part, views));
  for (const { part, bytes, base } of accessors) {
    // What is compressed was counted with its buffer view: decoded, the two are the same bytes.
    if (base.kind !== 'packed') tally.add('geometryBytes', bytes, part);
  }
  return accessors;
}

/**
 * Refuses a file whose arrays exist mostly by name: without data, or sparse.
 *
 * @param unpacked accessors that have no data of their own because Draco brings it
 */
export function checkEmptiness(
  accessors: readonly Accessor[],
  unpacked: ReadonlySet<Accessor>,
  { fileBytes, tally }: { fileBytes: number; tally: Tally },
): void {
  for (const accessor of accessors) {
    const { part, bytes, base, sparse } = accessor;
    const isEmpty = base.kind === 'empty' && !unpacked.has(accessor);
    if (isEmpty || sparse !== undefined) tally.add('emptyBytes', bytes, part);
  }
  const last = accessors.at(-1);
  if (last) limitExpansion(tally.sum('emptyBytes'), fileBytes, tally.limits, last.part);
}

function readAccessor(part: Part, views: View[]): Accessor {
  const type = part.get('type').choice(...ELEMENT_TYPES);
  const componentType = part.get('componentType').choice(...COMPONENT_TYPES);
  const normalized = part.find('normalized')?.flag() ?? false;
  if (normalized && (componentType === FLOAT || componentType === UNSIGNED_INT)) {
    part.fail('type', 'is normalized, which only integers of 8 and 16 bits can be');
  }
  const count = part.get('count').integer(1);
  const components = componentsOf(type);
  const layout = { type, componentType, count };
  const base = readBase(part, views, layout);
  const sparse = part.find('sparse');
  return {
    part,
    ...layout,
    normalized,
    components,
    bytes: count * elementBytes(type, componentType),
    base,
    sparse: sparse && readSparse(sparse, views, layout),
    min: part.find('min')?.numbers(components),
    max: part.find('max')?.numbers(components),
  };
}

type Layout = { type: ElementType; componentType: ComponentType; count: number };

function readBase(part: Part, views: View[], layout: Layout): Accessor['base'] {
  const viewPart = part.find('bufferView');
  if (viewPart === undefined) return { kind: 'empty' };
  const range = readRange(part, viewPart.pick(views, 'buffer views'), layout, true);
  return range === undefined ? { kind: 'packed' } : { kind: 'values', range };
}

/** Checks that the elements lie within the view; gives where, unless the view is compressed. */
function readRange(
  part: Part,
  view: View,
  { type, componentType, count }: Layout,
  strided: boolean,
): Range | undefined {
  const size = elementBytes(type, componentType);
  const stride = (strided && view.stride) || size;
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
      `ends at byte ${grouped(end)}, but its buffer view has ${grouped(view.length)}`,
    );
  }
  const components = componentsOf(type);
  return view.region && { region: view.region, offset, stride, count, components, componentType };
}

function readSparse(part: Part, views: View[], layout: Layout): NonNullable<Accessor['sparse']> {
  const count = part.get('count').integer(1, layout.count);
  const indices = part.get('indices').object();
  const componentType = indices
    .get('componentType')
    .choice(UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT);
  const where = indices.get('bufferView').pick(views, 'buffer views');
  const values = part.get('values').object();
  const what = values.get('bufferView').pick(views, 'buffer views');
  const ranges = {
    indices: readRange(indices, where, { type: 'SCALAR', componentType, count }, false),
    values: readRange(values, what, { ...layout, count }, false),
  };
  if (ranges.indices === undefined || ranges.values === undefined) {
    part.fail('sparse', 'has its values in a compressed buffer view');
  }
  return { indices: ranges.indices, values: ranges.values };
}
