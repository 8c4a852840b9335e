import { pickPictureOptions } from '@cloche/contract/first-picture';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Database, Transaction } from '../database/database.ts';
import type { RevisionProcessingOptions } from '../processing/revision.ts';

/** Finds the options of processing that a design has itself. The others are those of the service. */
export async function findProcessingOptions(
  designId: string,
  db: Database,
): Promise<RevisionProcessingOptions> {
  const row = await db
    .selectFrom('design')
    .select(['max_triangles', 'max_texture_size'])
    .where('id', '=', designId)
    .executeTakeFirst();
  const { max_triangles: maxTriangles, max_texture_size: maxTextureSize } = row ?? {};
  return {
    ...(maxTriangles != null && { maxTriangles }),
    ...(maxTextureSize != null && { maxTextureSize }),
  };
}

/** Finds the options of a design that change the first picture. */
export async function findPictureOptions(
  designId: string,
  db: Transaction | Database,
): Promise<ViewerOptions> {
  const row = await db
    .selectFrom('design')
    .select('viewer')
    .where('id', '=', designId)
    .executeTakeFirst();
  return row === undefined ? {} : pickPictureOptions(JSON.parse(row.viewer));
}
