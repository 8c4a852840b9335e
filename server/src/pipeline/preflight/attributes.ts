import type { Accessor } from './accessor.ts';
import {
  BYTE,
  type ElementType,
  FLOAT,
  SHORT,
  UNSIGNED_BYTE,
  UNSIGNED_INT,
  UNSIGNED_SHORT,
} from './element.ts';
import type { Part } from './part.ts';

type Rule = { types: readonly ElementType[]; components: readonly number[] };

/** Floats, or the small integers of KHR_mesh_quantization, which exporters do not always declare. */
const SMALL: readonly number[] = [FLOAT, BYTE, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT];

const RULES: readonly [semantic: RegExp, rule: Rule][] = [
  [/^(POSITION|NORMAL)$/, { types: ['VEC3'], components: SMALL }],
  [/^TANGENT$/, { types: ['VEC4'], components: SMALL }],
  [/^TEXCOORD_\d+$/, { types: ['VEC2'], components: SMALL }],
  [/^COLOR_\d+$/, { types: ['VEC3', 'VEC4'], components: SMALL }],
  [/^JOINTS_\d+$/, { types: ['VEC4'], components: [UNSIGNED_BYTE, UNSIGNED_SHORT] }],
  [/^WEIGHTS_\d+$/, { types: ['VEC4'], components: [FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT] }],
];

const TARGET_RULES: readonly [semantic: RegExp, rule: Rule][] = [
  [/^(POSITION|NORMAL|TANGENT)$/, { types: ['VEC3'], components: SMALL }],
  ...RULES.filter(([semantic]) => semantic.test('TEXCOORD_0') || semantic.test('COLOR_0')),
];

/** The viewer's own names: an attribute called so would take the place of the one that was checked. */
const RESERVED = /^(position|normal|tangent|uv\d*|color|skinindex|skinweight)$/i;

/** Reads the accessors of a primitive, or of one of its morph targets, by their semantics. */
export function readAttributes(
  part: Part,
  accessors: readonly Accessor[],
  kind: 'primitive' | 'target',
): Map<string, Accessor> {
  const rules = kind === 'primitive' ? RULES : TARGET_RULES;
  return new Map(
    part.entries().map(([semantic, index]) => {
      const accessor = index.pick(accessors, 'accessors');
      const rule = rules.find(([pattern]) => pattern.test(semantic))?.[1];
      if (rule !== undefined) checkRule(index, accessor, rule);
      else if (RESERVED.test(semantic)) index.fail('semantic', 'is not the name of an attribute');
      return [semantic, accessor];
    }),
  );
}

function checkRule(part: Part, { type, componentType }: Accessor, rule: Rule): void {
  if (!rule.types.includes(type)) {
    part.fail(
      'accessor-type',
      `is an accessor of type ${type}; it must be ${rule.types.join(' or ')}`,
    );
  }
  if (!rule.components.includes(componentType)) {
    part.fail(
      'accessor-type',
      `is an accessor of componentType ${componentType}, which it cannot be`,
    );
  }
}

/** Checks that all have the same number of elements, and gives it. */
export function sameCount(part: Part, attributes: Iterable<Accessor>, count?: number): number {
  for (const accessor of attributes) {
    count ??= accessor.count;
    if (accessor.count !== count) {
      part.fail('count', `has accessors of ${count} and of ${accessor.count} elements`);
    }
  }
  return count ?? 0;
}

/** Reads the accessor of indices. */
export function readIndices(part: Part, accessors: readonly Accessor[]): Accessor {
  const accessor = part.pick(accessors, 'accessors');
  checkRule(part, accessor, {
    types: ['SCALAR'],
    components: [UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT],
  });
  return accessor;
}
