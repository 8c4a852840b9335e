/** `npm run demo:scale`: two web nodes, two workers and nginx. A web node and a worker are killed while visitors look at a design. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { findProgram, OPTIONAL_PROGRAMS } from '../scripts/optional-programs.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { type Installation, startInstallation } from './scale/installation.ts';
import { Visitors } from './scale/visitors.ts';
import { printHeading, printLine, printNote } from './terminal.ts';
import { createEmbedHtml, uploadDesign } from './walkthrough.ts';

const SAMPLE = join(import.meta.dirname, 'sample.glb');
/** The page that visitors look at. Nothing has to listen there. */
const SHOP_ORIGIN = 'http://shop.localhost';
/** Jobs at the time when a worker is killed: enough that both workers have one. */
const JOB_COUNT = 4;
const MIN_REQUESTS = 200;
const PROCESSING_TIMEOUT_MS = 400_000;

const stopped = Promise.race(
  ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)),
);
const resources = new AsyncDisposableStack();
try {
  const isShown = await Promise.race([show(), stopped.then(() => false)]);
  process.exitCode = isShown ? 0 : 1;
} finally {
  await resources.disposeAsync();
}
// After a signal, something may still be starting.
process.exit();

/** Returns whether no visitor noticed anything. */
async function show(): Promise<boolean> {
  printLine(
    'Cloche on several nodes: two web nodes and two workers behind nginx, on this machine.',
  );
  if (findProgram('nginx') === undefined) {
    const packages = OPTIONAL_PROGRAMS.nginx.debianPackages.join(' ');
    printLine(`nginx is not installed. On Debian: apt-get install ${packages}`);
    return false;
  }
  await buildWorkspaces({ onlyIfChanged: true });
  const folder = await mkdtemp(join(tmpdir(), 'cloche-demo-scale-'));
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const installation = await startInstallation(folder, resources);

  const sample = await readFile(SAMPLE);
  const uri = await uploadDesign(installation, sample, 'Succulent under glass');
  const html = await createEmbedHtml(installation, uri, SHOP_ORIGIN);
  printNote('The workers make the model for the web.');
  await waitUntilReady(installation, toId(uri));

  printHeading('Visitors look at the design, through nginx');
  const [, documentUrl = ''] = /src="([^"]+)"/.exec(html) ?? [];
  const visitors = new Visitors(documentUrl, SHOP_ORIGIN);
  visitors.start();
  await visitors.waitForRequests(MIN_REQUESTS);
  printLine(`  ${visitors.describe()}`);

  await killWebNode(installation, visitors);
  const isCompleted = await killWorker(installation, visitors, sample);
  await visitors.stop();
  printHeading('Result');
  printLine(`  ${visitors.describe()}`);
  for (const failure of new Set(visitors.failures)) printLine(`  ${failure}`);
  return isCompleted && visitors.failures.length === 0;
}

async function killWebNode({ web }: Installation, visitors: Visitors): Promise<void> {
  printHeading('A web node is killed (SIGKILL)');
  await web[0].kill();
  await visitors.waitForRequests(MIN_REQUESTS);
  printLine(`  The other one answers all requests. ${visitors.describe()}`);
}

/** Returns whether the designs that the killed worker was processing are ready in the end. */
async function killWorker(
  installation: Installation,
  visitors: Visitors,
  sample: Buffer,
): Promise<boolean> {
  printHeading(`A worker is killed (SIGKILL) while it processes one of ${JOB_COUNT} more files`);
  const { workers } = installation;
  const ids = await Promise.all(
    Array.from({ length: JOB_COUNT }, (_, index) => upload(installation, sample, index)),
  );
  const { worker, designs } = await waitUntil('a worker to have a job', async () => {
    for (const worker of workers) {
      const designs = await installation.listDesignsInWork(worker);
      if (designs.length > 0) return { worker, designs };
    }
    return undefined;
  });
  await worker.kill();
  const killedAt = performance.now();
  printLine(`  It was processing ${designs.length} of them. Its lease ends after 30 s at most.`);
  for (const id of designs) await waitUntilReady(installation, id);
  const seconds = Math.round((performance.now() - killedAt) / 1000);
  printLine(
    `  The other worker has completed ${designs.length === 1 ? 'it' : 'them'}, after ${seconds} s.`,
  );
  for (const id of ids) await waitUntilReady(installation, id);
  printLine(`  All ${JOB_COUNT} designs are ready. ${visitors.describe()}`);
  return designs.every((id) => ids.includes(id));
}

async function upload({ origin, token }: Installation, sample: Buffer, index: number) {
  const response = await fetch(`${origin}/v1/designs?name=Copy%20${index + 1}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'model/gltf-binary' },
    body: new Uint8Array(sample),
  });
  return toId(((await response.json()) as { uri: string }).uri);
}

async function waitUntilReady({ origin, token }: Installation, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const check = async () => {
    const response = await fetch(`${origin}/v1/designs/${id}`, { headers });
    const { status } = (await response.json()) as { status: string };
    if (status === 'failed') throw new Error(`The design ${id} has failed.`);
    return status === 'ready';
  };
  await waitUntil(`the design ${id} to be ready`, check, { timeoutMs: PROCESSING_TIMEOUT_MS });
}

function toId(uri: string): string {
  return uri.slice(uri.lastIndexOf(':') + 1);
}
