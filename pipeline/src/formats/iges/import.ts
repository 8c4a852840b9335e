import type { ImportedModel } from '../../mesh/imported-model.ts';
import { convertWithOcct } from '../occt/convert.ts';
import { collectIgesWarnings } from './warnings.ts';

/** Imports an IGES. */
export async function importIges(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await convertWithOcct(bytes, 'ReadIgesFile');
  return { document, warnings: [...warnings, ...collectIgesWarnings(bytes)] };
}
