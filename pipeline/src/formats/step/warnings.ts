import type { ProcessingWarning } from '@cloche/contract/design';

/** What entities of a STEP file say that is not read, once there is any of them. */
const STEP_FEATURES: readonly (readonly [
  code: string,
  what: string,
  entities: readonly string[],
])[] = [
  [
    'annotations.unread',
    'has dimensions, tolerances or notes, which were not read',
    [
      'GEOMETRIC_TOLERANCE',
      'DIMENSIONAL_SIZE',
      'DIMENSIONAL_LOCATION',
      'DRAUGHTING_CALLOUT',
      'ANNOTATION_OCCURRENCE',
      'ANNOTATION_CURVE_OCCURRENCE',
      'ANNOTATION_TEXT_OCCURRENCE',
      'TESSELLATED_ANNOTATION_OCCURRENCE',
    ],
  ],
  ['hidden.shown', 'hides things, which are shown', ['INVISIBILITY']],
  [
    'transparency.unread',
    'has things that are seen through, which are shown as solid',
    ['SURFACE_STYLE_TRANSPARENT'],
  ],
  [
    'lines.unread',
    'has curves or points on their own, which were not read',
    ['GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION', 'GEOMETRIC_CURVE_SET'],
  ],
];
const LAYER_ENTITY = 'PRESENTATION_LAYER_ASSIGNMENT';

/** Tells what a STEP file has that the library does not read. */
export function collectStepWarnings(bytes: Buffer): ProcessingWarning[] {
  const found = STEP_FEATURES.filter(([, , entities]) =>
    entities.some((name) => hasEntities(bytes, name, 1)),
  );
  const warnings = found.map(([code, what]) => ({ code, message: `The STEP ${what}.` }));
  // All on one layer is as good as none.
  if (hasEntities(bytes, LAYER_ENTITY, 2)) warnings.push(layersIgnored('STEP'));
  return warnings;
}

/** Whether that many entities have the name: `=NAME(` or, one of several kinds, ` NAME(`. */
function hasEntities(bytes: Buffer, name: string, least: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + name.length)) {
    const before = bytes.toString('latin1', at - 1, at);
    const behind = bytes.toString('latin1', at + name.length, at + name.length + 20);
    if (/[=()\s]/.test(before) && /^\s*\(/.test(behind) && ++count >= least) return true;
  }
  return false;
}

const IGES_LINE = /^.{72}([SGDPT])/;
/** Entities by their numbers in IGES 5.3. */
const CURVE_TYPES = new Set([100, 102, 104, 106, 110, 112, 116, 126, 130]);
const SURFACE_TYPES = new Set([108, 114, 118, 120, 122, 128, 140, 143, 144, 186]);

type IgesEntity = { type: number; level: number; isHidden: boolean; isIndependent: boolean };

/** Tells what an IGES file has that the library does not read, by its directory. */
export function collectIgesWarnings(bytes: Buffer): ProcessingWarning[] {
  const entities = [...readIgesDirectory(bytes)];
  const shapes = entities.filter(({ type }) => CURVE_TYPES.has(type) || SURFACE_TYPES.has(type));
  const warnings: ProcessingWarning[] = [];
  if (entities.some(({ type }) => type >= 202 && type <= 230)) {
    const message = 'The IGES has dimensions, tolerances or notes, which were not read.';
    warnings.push({ code: 'annotations.unread', message });
  }
  if (
    shapes.some(
      ({ type, isHidden, isIndependent }) => SURFACE_TYPES.has(type) && isHidden && isIndependent,
    )
  ) {
    const message = 'The IGES hides things, which are shown.';
    warnings.push({ code: 'hidden.shown', message });
  }
  if (
    shapes.some(
      ({ type, isHidden, isIndependent }) => CURVE_TYPES.has(type) && !isHidden && isIndependent,
    )
  ) {
    const message = 'The IGES has curves or points on their own, which were not read.';
    warnings.push({ code: 'lines.unread', message });
  }
  if (new Set(shapes.map(({ level }) => level)).size > 1) warnings.push(layersIgnored('IGES'));
  return warnings;
}

/** The first of the two lines that each entity has in the directory. */
function* readIgesDirectory(bytes: Buffer): Generator<IgesEntity> {
  let isFirst = true;
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf('\n', at);
    const line = bytes.toString('latin1', at, Math.min(at + 80, next < 0 ? bytes.length : next));
    at = next < 0 ? bytes.length : next + 1;
    const section = IGES_LINE.exec(line)?.[1];
    if (section === 'P') return;
    if (section !== 'D') continue;
    const field = (number: number) => line.slice(8 * number - 8, 8 * number);
    if (isFirst) {
      // Two digits each: hidden or not, part of another or not.
      const status = field(9).trim().padStart(8, '0');
      yield {
        type: Number(field(1)),
        level: Number(field(5)),
        isHidden: status.startsWith('01'),
        isIndependent: status.slice(2, 4) === '00',
      };
    }
    isFirst = !isFirst;
  }
}

function layersIgnored(format: string): ProcessingWarning {
  const message = `The ${format} has layers, which were not read.`;
  return { code: 'layers.unread', message };
}
