/** Starts an S3 server in memory for demos, prints the settings that use it, and runs until it is interrupted. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket } from './create-bucket.ts';
import { startRadosGateway } from './radosgw.ts';

const folder = await mkdtemp(join(tmpdir(), 'radosgw-'));
try {
  await using gateway = await startRadosGateway(folder);
  const settings = await createBucket(gateway, 'designs');
  for (const [name, value] of Object.entries(settings)) console.log(`export ${name}=${value}`);
  console.log('# The objects are in memory. Press Ctrl+C to stop the server.');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
