import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { BlobRef } from '../src/blobs/blob-store.ts';
import { migrate } from '../src/database/migrate.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import { createDesign } from '../src/designs/design.ts';
import { DesignStore } from '../src/designs/design-store.ts';
import { RevisionStore } from '../src/designs/revision-store.ts';
import { createJob, type Job } from '../src/processing/job.ts';
import { JobStore } from '../src/processing/job-store.ts';
import { createInitialUser } from '../src/startup/bootstrap-token.ts';

/** A shelf of jobs with a database and a clock of its own, which stands until it is moved. */
export async function openTestJobStore(t: TestContext) {
  const database = openSqlite(join(await openTemporaryDirectory(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  await createInitialUser(database, new Date(), async () => {});
  const { id: user } = await database.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const designs = new DesignStore(database);
  const uploads = new RevisionStore(database, designs);
  const jobs = new JobStore(database);
  let timeMs = Date.UTC(2030, 0);
  const now = () => new Date(timeMs);

  /** A job for an upload of which nothing but its row is there. */
  async function add(): Promise<Job> {
    const design = createDesign({ user, name: 'Oak chair' }, now());
    const source = {
      blob: '0'.repeat(64) as BlobRef,
      sizeBytes: 1,
      detectedFormat: { format: 'glb' as const },
    };
    const upload = { id: randomUUID(), designId: design.id, number: 1, source };
    const job = createJob(upload.id);
    await database.transaction().execute(async (step) => {
      await designs.add(design, step);
      await uploads.add(upload, now(), step);
      await jobs.add(job, now(), step);
    });
    return job;
  }

  const pass = (ms: number) => {
    timeMs += ms;
  };
  return { jobs, add, now, pass };
}
