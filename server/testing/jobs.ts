import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BlobRef } from '../src/blobs/blobs.ts';
import { migrate } from '../src/database/migrate.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import { makeDesign } from '../src/designs/design.ts';
import { Designs } from '../src/designs/designs.ts';
import { Uploads } from '../src/designs/uploads.ts';
import { type Job, makeJob } from '../src/pipeline/job.ts';
import { Jobs } from '../src/pipeline/jobs.ts';
import { makeFirstUser } from '../src/tokens/first.ts';
import { openFolder } from './ground.ts';

/** A shelf of jobs with a database and a clock of its own, which stands until it is moved. */
export async function openJobs(t: TestContext) {
  const database = openSqlite(join(await openFolder(t), 'cloche.sqlite'));
  t.after(() => database.destroy());
  await migrate(database);
  await makeFirstUser(database, new Date(), async () => {});
  const { id: user } = await database.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const designs = new Designs(database);
  const uploads = new Uploads(database, designs);
  const jobs = new Jobs(database);
  let timeMs = Date.UTC(2030, 0);
  const now = () => new Date(timeMs);

  /** A job for an upload of which nothing but its row is there. */
  async function add(): Promise<Job> {
    const design = makeDesign({ user, name: 'Oak chair' }, now());
    const source = {
      blob: '0'.repeat(64) as BlobRef,
      bytes: 1,
      examined: { format: 'glb' as const },
    };
    const upload = { id: randomUUID(), designId: design.id, number: 1, source };
    const job = makeJob(upload.id);
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
