import type { ProcessingWarning } from '@cloche/contract/design';
import { ignoredWarning } from '../../mesh/import-warnings.ts';
import { hiddenPartsWarning } from '../occt/warnings.ts';

const LINE_BYTES = 80;
const SECTION_PATTERN = /^.{72}([SGDPT])/;
const FIELD_LENGTH = 8;
/** Entity types of IGES 5.3. */
const CURVE_TYPES = new Set([100, 102, 104, 106, 110, 112, 116, 126, 130]);
const SURFACE_TYPES = new Set([108, 114, 118, 120, 122, 128, 140, 143, 144, 186]);
const FIRST_ANNOTATION_TYPE = 202;
const LAST_ANNOTATION_TYPE = 230;

type IgesEntity = { type: number; level: number; isHidden: boolean; isIndependent: boolean };

/** Collects warnings about content of an IGES file that the library does not convert. */
export function collectIgesWarnings(bytes: Buffer): ProcessingWarning[] {
  const entities = [...readDirectory(bytes)];
  const curves = entities.filter(({ type }) => CURVE_TYPES.has(type));
  const surfaces = entities.filter(({ type }) => SURFACE_TYPES.has(type));
  const levels = new Set([...curves, ...surfaces].map(({ level }) => level));
  const warnings: ProcessingWarning[] = [];
  if (entities.some(({ type }) => type >= FIRST_ANNOTATION_TYPE && type <= LAST_ANNOTATION_TYPE)) {
    warnings.push(ignoredWarning('annotations.ignored', 'IGES', 'dimensions, tolerances or notes'));
  }
  if (surfaces.some(({ isHidden, isIndependent }) => isHidden && isIndependent))
    warnings.push(hiddenPartsWarning('IGES'));
  if (curves.some(({ isHidden, isIndependent }) => !isHidden && isIndependent))
    warnings.push(ignoredWarning('lines.ignored', 'IGES', 'separate curves or points'));
  if (levels.size > 1) warnings.push(ignoredWarning('layers.ignored', 'IGES', 'layers'));
  return warnings;
}

/** Yields the entities of the directory section. An entity has two lines; the second is not needed. */
function* readDirectory(bytes: Buffer): Generator<IgesEntity> {
  let isFirstLine = true;
  for (const line of readLines(bytes)) {
    const section = SECTION_PATTERN.exec(line)?.[1];
    if (section === 'P') return;
    if (section !== 'D') continue;
    if (isFirstLine) yield parseEntity(line);
    isFirstLine = !isFirstLine;
  }
}

function* readLines(bytes: Buffer): Generator<string> {
  let offset = 0;
  while (offset < bytes.length) {
    const newline = bytes.indexOf('\n', offset);
    const end = newline < 0 ? bytes.length : newline;
    yield bytes.toString('latin1', offset, Math.min(offset + LINE_BYTES, end));
    offset = end + 1;
  }
}

function parseEntity(line: string): IgesEntity {
  const field = (number: number) => line.slice(FIELD_LENGTH * (number - 1), FIELD_LENGTH * number);
  // Two digits for each flag. The first flag is 01 if hidden; the second 00 if independent.
  const status = field(9).trim().padStart(8, '0');
  return {
    type: Number(field(1)),
    level: Number(field(5)),
    isHidden: status.startsWith('01'),
    isIndependent: status.slice(2, 4) === '00',
  };
}
