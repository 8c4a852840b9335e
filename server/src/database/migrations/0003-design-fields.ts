import type { Kysely } from 'kysely';

type Design = {
  id: string;
  name: string;
  description: string;
  last_revision: number;
  sort_name: string;
  search_text: string;
};
type Tables = { design: Design; revision: { design_id: string; number: number } };

/**
 * Adds tags, external ids, metadata and columns for searching and sorting to designs, the file name to
 * revisions, and numbers of revisions that are never used again.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addColumns(database);
  await fillColumns(database as Kysely<Tables>);
  await createIndexes(database);
  await createDesignTag(database);
}

async function addColumns({ schema }: Kysely<unknown>): Promise<void> {
  const addColumn = (name: string, type: 'text' | 'integer', value?: string | number) =>
    schema
      .alterTable('design')
      .addColumn(name, type, (column) =>
        value === undefined ? column : column.notNull().defaultTo(value),
      )
      .execute();
  await addColumn('external_id', 'text');
  await addColumn('tags', 'text', '[]');
  await addColumn('metadata', 'text', '{}');
  await addColumn('last_revision', 'integer', 0);
  await addColumn('chosen_at_revision', 'integer', 0);
  await addColumn('sort_name', 'text', '');
  await addColumn('search_text', 'text', '');
  await schema.alterTable('revision').addColumn('file_name', 'text').execute();
}

async function fillColumns(database: Kysely<Tables>): Promise<void> {
  await database
    .updateTable('design')
    .set(({ selectFrom }) => ({
      last_revision: selectFrom('revision')
        .select(({ fn, val }) => fn.coalesce(fn.max('number'), val(0)).as('number'))
        .whereRef('revision.design_id', '=', 'design.id'),
    }))
    .execute();
  const designs = await database
    .selectFrom('design')
    .select(['id', 'name', 'description'])
    .execute();
  for (const { id, name, description } of designs) {
    const search_text = `${foldCase(name)}\u001f${foldCase(description)}`;
    await database
      .updateTable('design')
      .set({ sort_name: toSortName(name), search_text })
      .where('id', '=', id)
      .execute();
  }
}

/** An index for each order of a list. Other columns are searched within the designs of a user. */
async function createIndexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('design_by_update')
    .on('design')
    .columns(['user_id', 'updated_at', 'id'])
    .execute();
  await schema
    .createIndex('design_by_name')
    .on('design')
    .columns(['user_id', 'sort_name', 'id'])
    .execute();
  await schema
    .createIndex('design_by_external_id')
    .unique()
    .on('design')
    .columns(['user_id', 'external_id'])
    .execute();
}

/** The tags of design.tags, for the filter by tag. */
async function createDesignTag({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('design_tag')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('design_id', 'text', (column) =>
      column.notNull().references('design.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('design_tag_key', ['user_id', 'tag', 'design_id'])
    .execute();
  await schema.createIndex('design_tag_by_design').on('design_tag').column('design_id').execute();
}

function toSortName(name: string): string {
  return Array.from(foldCase(name)).slice(0, 80).join('');
}

/** As in designs/fold-case.ts. A migration does not change when other code does. */
function foldCase(text: string): string {
  const upperCase = text.normalize('NFKC').toUpperCase();
  return Array.from(upperCase, (character) => character.toLowerCase())
    .join('')
    .replaceAll('i\u0307', 'i')
    .normalize('NFC');
}
