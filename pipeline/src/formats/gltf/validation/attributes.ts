import type { JsonNode } from '../../../validation/json-node.ts';
import type { GltfAccessor } from './accessor.ts';
import {
  BYTE,
  type ElementType,
  FLOAT,
  SHORT,
  UNSIGNED_BYTE,
  UNSIGNED_INT,
  UNSIGNED_SHORT,
} from './element-types.ts';

type AttributeRule = { types: readonly ElementType[]; componentTypes: readonly number[] };

/** Floats, or the small integers of KHR_mesh_quantization, which exporters do not always declare. */
const QUANTIZABLE_TYPES: readonly number[] = [FLOAT, BYTE, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT];

const ATTRIBUTE_RULES: readonly [semantic: RegExp, rule: AttributeRule][] = [
  [/^(POSITION|NORMAL)$/, { types: ['VEC3'], componentTypes: QUANTIZABLE_TYPES }],
  [/^TANGENT$/, { types: ['VEC4'], componentTypes: QUANTIZABLE_TYPES }],
  [/^TEXCOORD_\d+$/, { types: ['VEC2'], componentTypes: QUANTIZABLE_TYPES }],
  [/^COLOR_\d+$/, { types: ['VEC3', 'VEC4'], componentTypes: QUANTIZABLE_TYPES }],
  [/^JOINTS_\d+$/, { types: ['VEC4'], componentTypes: [UNSIGNED_BYTE, UNSIGNED_SHORT] }],
  [/^WEIGHTS_\d+$/, { types: ['VEC4'], componentTypes: [FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT] }],
];

const MORPH_TARGET_RULES: readonly [semantic: RegExp, rule: AttributeRule][] = [
  [/^(POSITION|NORMAL|TANGENT)$/, { types: ['VEC3'], componentTypes: QUANTIZABLE_TYPES }],
  ...ATTRIBUTE_RULES.filter(
    ([semantic]) => semantic.test('TEXCOORD_0') || semantic.test('COLOR_0'),
  ),
];

/** The viewer's own names: an attribute called so would take the place of the one that was checked. */
const RESERVED_NAMES = /^(position|normal|tangent|uv\d*|color|skinindex|skinweight)$/i;

/** Reads the accessors of a primitive, or of one of its morph targets, by their semantics. */
export function parseAttributes(
  part: JsonNode,
  accessors: readonly GltfAccessor[],
  kind: 'primitive' | 'target',
): Map<string, GltfAccessor> {
  const rules = kind === 'primitive' ? ATTRIBUTE_RULES : MORPH_TARGET_RULES;
  return new Map(
    part.entries().map(([semantic, index]) => {
      const accessor = index.resolveIndex(accessors, 'accessors');
      const rule = rules.find(([pattern]) => pattern.test(semantic))?.[1];
      if (rule !== undefined) assertMatchesRule(index, accessor, rule);
      else if (RESERVED_NAMES.test(semantic))
        index.fail('semantic', 'is not the name of an attribute');
      return [semantic, accessor];
    }),
  );
}

function assertMatchesRule(
  part: JsonNode,
  { type, componentType }: GltfAccessor,
  rule: AttributeRule,
): void {
  if (!rule.types.includes(type)) {
    part.fail(
      'accessor-type',
      `is an accessor of type ${type}; it must be ${rule.types.join(' or ')}`,
    );
  }
  if (!rule.componentTypes.includes(componentType)) {
    part.fail(
      'accessor-type',
      `is an accessor of componentType ${componentType}, which it cannot be`,
    );
  }
}

/** Checks that all have the same number of elements, and gives it. */
export function assertSameCount(
  part: JsonNode,
  attributes: Iterable<GltfAccessor>,
  count?: number,
): number {
  for (const accessor of attributes) {
    count ??= accessor.count;
    if (accessor.count !== count) {
      part.fail('count', `has accessors of ${count} and of ${accessor.count} elements`);
    }
  }
  return count ?? 0;
}

/** Reads the accessor of indices. */
export function parseIndices(part: JsonNode, accessors: readonly GltfAccessor[]): GltfAccessor {
  const accessor = part.resolveIndex(accessors, 'accessors');
  assertMatchesRule(part, accessor, {
    types: ['SCALAR'],
    componentTypes: [UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT],
  });
  return accessor;
}
