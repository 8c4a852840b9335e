import type { ProcessingWarning } from '@cloche/contract/design';
import {
  IFCANNOTATION,
  IFCELEMENT,
  IFCELEMENTQUANTITY,
  IFCFEATUREELEMENT,
  IFCGRID,
  IFCPROPERTYSET,
  IFCSURFACESTYLEWITHTEXTURES,
  IFCVIRTUALELEMENT,
  type IfcAPI,
} from 'web-ifc';

const IGNORED_TYPES: readonly (readonly [code: string, what: string, types: readonly number[]])[] =
  [
    ['annotations.unread', 'grids or notes', [IFCGRID, IFCANNOTATION]],
    ['textures.unread', 'textures', [IFCSURFACESTYLEWITHTEXTURES]],
    [
      'properties.unread',
      'properties or quantities of its parts',
      [IFCPROPERTYSET, IFCELEMENTQUANTITY],
    ],
  ];

/** Tells what an IFC has that is not read; `drawn` are the products that came out. */
export function collectIfcWarnings(
  api: IfcAPI,
  model: number,
  drawn: ReadonlySet<number>,
): ProcessingWarning[] {
  const idsOf = (type: number) => {
    const lines = api.GetLineIDsWithType(model, type, true);
    return Array.from({ length: lines.size() }, (_, at) => lines.get(at));
  };
  const warnings: ProcessingWarning[] = [];
  // What makes openings, or stands for a boundary, is not meant to be seen.
  const unseen = new Set([IFCFEATUREELEMENT, IFCVIRTUALELEMENT].flatMap(idsOf));
  const elements = idsOf(IFCELEMENT).filter((id) => !unseen.has(id));
  const empty = elements.filter((id) => !drawn.has(id) && hasShape(api, model, id)).length;
  if (empty > 0) {
    const message = `${empty} of the ${elements.length} parts could not be made into triangles.`;
    warnings.push({ code: 'part.empty', message });
  }
  for (const [code, what, types] of IGNORED_TYPES) {
    if (!types.some((type) => idsOf(type).length > 0)) continue;
    warnings.push({ code, message: `The IFC has ${what}, which were not read.` });
  }
  return warnings;
}

function hasShape(api: IfcAPI, model: number, id: number): boolean {
  try {
    return Boolean(api.GetLine(model, id).Representation);
  } catch {
    // Of a line that cannot be read, nothing can be said.
    return false;
  }
}
