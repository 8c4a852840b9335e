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
import { emptyPartsWarning, ignoredWarning } from '../../mesh/import-warnings.ts';

type IgnoredContent = { warning: ProcessingWarning; types: readonly number[] };

const IGNORED_CONTENT: readonly IgnoredContent[] = [
  {
    warning: ignoredWarning('annotations.ignored', 'IFC', 'grids or annotations'),
    types: [IFCGRID, IFCANNOTATION],
  },
  {
    warning: ignoredWarning('textures.ignored', 'IFC', 'textures'),
    types: [IFCSURFACESTYLEWITHTEXTURES],
  },
  {
    warning: ignoredWarning('properties.ignored', 'IFC', 'properties or quantities of parts'),
    types: [IFCPROPERTYSET, IFCELEMENTQUANTITY],
  },
];
/** Openings and virtual boundaries are elements that are not meant to be visible. */
const INVISIBLE_TYPES = [IFCFEATUREELEMENT, IFCVIRTUALELEMENT];

/** Collects warnings about content of an IFC that is not imported, and parts without triangles. */
export function collectIfcWarnings(
  api: IfcAPI,
  model: number,
  importedIds: ReadonlySet<number>,
): ProcessingWarning[] {
  const listIds = (type: number) => {
    const ids = api.GetLineIDsWithType(model, type, true);
    return Array.from({ length: ids.size() }, (_, index) => ids.get(index));
  };
  const invisibleIds = new Set(INVISIBLE_TYPES.flatMap(listIds));
  const elementIds = listIds(IFCELEMENT).filter((id) => !invisibleIds.has(id));
  const emptyIds = elementIds.filter((id) => !importedIds.has(id) && hasShape(api, model, id));
  return [
    ...[emptyPartsWarning(emptyIds.length, elementIds.length)].filter(
      (warning) => warning !== undefined,
    ),
    ...IGNORED_CONTENT.filter(({ types }) => types.some((type) => listIds(type).length > 0)).map(
      ({ warning }) => warning,
    ),
  ];
}

function hasShape(api: IfcAPI, model: number, id: number): boolean {
  try {
    return Boolean(api.GetLine(model, id).Representation);
  } catch {
    // The library throws for entities that it cannot parse; those count as having no shape.
    return false;
  }
}
