import { type Kysely, sql } from 'kysely';

const STATUSES = sql`status in ('queued', 'processing', 'ready', 'failed', 'cancelled')`;

/** Creates users, tokens, designs with their revisions and artifacts, jobs, and idempotency keys. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await createUserAndToken(database);
  await createDesign(database);
  await createRevision(database);
  await createJob(database);
  await createIdempotencyKey(database);
}

async function createUserAndToken({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('user')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('token')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('capabilities', 'text', (column) => column.notNull())
    .addColumn('origins', 'text', (column) => column.notNull())
    .addColumn('designs', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('seen_in_browser_at', 'text')
    .execute();
  await schema
    .createIndex('token_by_user')
    .on('token')
    .columns(['user_id', 'created_at', 'id'])
    .execute();
}

async function createDesign({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('design')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull().check(STATUSES))
    .addColumn('revision_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('design_by_user')
    .on('design')
    .columns(['user_id', 'created_at', 'id'])
    .execute();
}

async function createRevision({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('revision')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('design_id', 'text', (column) =>
      column.notNull().references('design.id').onDelete('cascade'),
    )
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull().check(STATUSES))
    .addColumn('source_blob', 'text', (column) => column.notNull())
    .addColumn('source_size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('detected_format', 'text', (column) => column.notNull())
    .addColumn('stats', 'text')
    .addColumn('report', 'text')
    .addColumn('poster_placeholder', 'text')
    .addColumn('problem', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('revision_number', ['design_id', 'number'])
    .execute();
  await schema
    .createIndex('revision_by_source_blob')
    .on('revision')
    .column('source_blob')
    .execute();
  await schema
    .createTable('artifact')
    .addColumn('revision_id', 'text', (column) =>
      column.notNull().references('revision.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('blob', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addPrimaryKeyConstraint('artifact_key', ['revision_id', 'kind'])
    .execute();
  await schema.createIndex('artifact_by_blob').on('artifact').column('blob').execute();
}

async function createJob({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('revision_id', 'text', (column) =>
      column.notNull().unique().references('revision.id').onDelete('cascade'),
    )
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('leased_until', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('job_by_creation').on('job').columns(['created_at', 'id']).execute();
}

async function createIdempotencyKey({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('idempotency_key')
    .addColumn('key_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('location', 'text')
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('idempotency_key_by_age')
    .on('idempotency_key')
    .column('created_at')
    .execute();
}
