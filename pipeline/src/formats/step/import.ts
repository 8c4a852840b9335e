import type { ImportedModel } from '../../mesh/imported-model.ts';
import { convertWithOcct } from '../occt/convert.ts';
import { collectStepWarnings } from './warnings.ts';

/** Imports a STEP (AP203, AP214 or AP242). */
export async function importStep(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await convertWithOcct(bytes, 'ReadStepFile');
  return { document, warnings: [...warnings, ...collectStepWarnings(bytes)] };
}
