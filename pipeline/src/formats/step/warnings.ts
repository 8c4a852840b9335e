import type { ProcessingWarning } from '@cloche/contract/design';
import { ignoredWarning } from '../../mesh/import-warnings.ts';
import { hiddenPartsWarning } from '../occt/warnings.ts';

/** The warnings about content that is not converted, each with the entities that cause it. */
const FEATURES: readonly { warning: ProcessingWarning; entities: readonly string[] }[] = [
  {
    warning: ignoredWarning('annotations.ignored', 'STEP', 'dimensions, tolerances or notes'),
    entities: [
      'GEOMETRIC_TOLERANCE',
      'DIMENSIONAL_SIZE',
      'DIMENSIONAL_LOCATION',
      'DRAUGHTING_CALLOUT',
      'ANNOTATION_OCCURRENCE',
      'ANNOTATION_CURVE_OCCURRENCE',
      'ANNOTATION_TEXT_OCCURRENCE',
      'TESSELLATED_ANNOTATION_OCCURRENCE',
    ],
  },
  { warning: hiddenPartsWarning('STEP'), entities: ['INVISIBILITY'] },
  {
    warning: {
      code: 'transparency.ignored',
      message: 'The STEP file has transparent parts, which are rendered opaque.',
    },
    entities: ['SURFACE_STYLE_TRANSPARENT'],
  },
  {
    warning: ignoredWarning('lines.ignored', 'STEP', 'separate curves or points'),
    entities: ['GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION', 'GEOMETRIC_CURVE_SET'],
  },
];
const LAYER_ENTITY = 'PRESENTATION_LAYER_ASSIGNMENT';

/** Collects warnings about content of a STEP file that the library does not convert. */
export function collectStepWarnings(bytes: Buffer): ProcessingWarning[] {
  const warnings = FEATURES.filter(({ entities }) =>
    entities.some((name) => hasEntities(bytes, name, 1)),
  ).map(({ warning }) => warning);
  // A single layer carries no information.
  if (hasEntities(bytes, LAYER_ENTITY, 2))
    warnings.push(ignoredWarning('layers.ignored', 'STEP', 'layers'));
  return warnings;
}

/** Whether at least that many entities have the name: `=NAME(`, or ` NAME(` in a complex entity. */
function hasEntities(bytes: Buffer, name: string, minCount: number): boolean {
  let count = 0;
  let offset = bytes.indexOf(name);
  while (offset >= 0) {
    const end = offset + name.length;
    const before = bytes.toString('latin1', offset - 1, offset);
    const after = bytes.toString('latin1', end, end + 20);
    if (/[=()\s]/.test(before) && /^\s*\(/.test(after) && ++count >= minCount) return true;
    offset = bytes.indexOf(name, end);
  }
  return false;
}
