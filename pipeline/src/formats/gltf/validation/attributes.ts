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

/** Floats, and the integers of KHR_mesh_quantization, which exporters do not always declare. */
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

/** three.js names: an attribute with such a name would replace the one that was checked. */
const RESERVED_NAMES = /^(position|normal|tangent|uv\d*|color|skinindex|skinweight)$/i;

/** Reads the attributes of a primitive or of one of its morph targets, by semantic. */
export function parseAttributes(
  json: JsonNode,
  accessors: readonly GltfAccessor[],
  kind: 'primitive' | 'target',
): Map<string, GltfAccessor> {
  const rules = kind === 'primitive' ? ATTRIBUTE_RULES : MORPH_TARGET_RULES;
  return new Map(
    json.entries().map(([semantic, index]) => {
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
  json: JsonNode,
  { type, componentType }: GltfAccessor,
  rule: AttributeRule,
): void {
  if (!rule.types.includes(type)) {
    json.fail(
      'accessor-type',
      `is an accessor of type ${type}; it must be ${rule.types.join(' or ')}`,
    );
  }
  if (!rule.componentTypes.includes(componentType)) {
    json.fail(
      'accessor-type',
      `is an accessor of componentType ${componentType}; it must be ${rule.componentTypes.join(' or ')}`,
    );
  }
}

/** Checks that all attributes have the same number of elements, and returns that number. */
export function assertSameCount(
  json: JsonNode,
  attributes: Iterable<GltfAccessor>,
  count?: number,
): number {
  for (const accessor of attributes) {
    count ??= accessor.count;
    if (accessor.count !== count) {
      json.fail('count', `has accessors of ${count} and of ${accessor.count} elements`);
    }
  }
  return count ?? 0;
}

/** Reads the accessor of a primitive's indices. */
export function parseIndices(json: JsonNode, accessors: readonly GltfAccessor[]): GltfAccessor {
  const accessor = json.resolveIndex(accessors, 'accessors');
  assertMatchesRule(json, accessor, {
    types: ['SCALAR'],
    componentTypes: [UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT],
  });
  return accessor;
}
