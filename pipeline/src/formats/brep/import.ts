import type { ImportedModel } from '../../mesh/imported-model.ts';
import { convertWithOcct } from '../occt/convert.ts';
import { collectBrepWarnings } from './warnings.ts';

/** Imports a BREP, the format of OpenCASCADE, which has neither units nor names nor colors. */
export async function importBrep(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await convertWithOcct(bytes, 'ReadBrepFile');
  return { document, warnings: [...collectBrepWarnings(), ...warnings] };
}
