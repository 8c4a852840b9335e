import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Design } from '@cloche/contract/design';
import { findProcessesUsing } from '@cloche/pipeline/testing/processes';
import { SERVICE_ARGUMENTS } from '../scripts/service-process.ts';
import { waitUntil } from '../scripts/wait-until.ts';
import { runSql } from '../server/testing/run-sql.ts';
import { NodesClient } from './nodes-client.ts';
import { NodesLoad } from './nodes-load.ts';
import { ServiceProcess } from './service-process.ts';

const CLOCK_AHEAD = ['--import', join(import.meta.dirname, 'clock-ahead.ts')];
/** Each takes several seconds. */
const ROUNDS = Number(process.env.CLOCHE_ROUNDS ?? 1);
const PROCESSING_TIMEOUT_MS = 400_000;

type Nodes = [ServiceProcess, ...ServiceProcess[]];
type NodeSettings = Record<string, string> & { CLOCHE_DATABASE_URL: string };

/** Starts three nodes. The clock of the last one is a minute ahead. */
async function openNodes(t: TestContext, shared: NodeSettings): Promise<Nodes> {
  const settings = { CLOCHE_GRANT_KEY: '0123456789abcdef'.repeat(4), ...shared };
  const first = await ServiceProcess.open(t, settings);
  const second = await ServiceProcess.open(t, settings);
  const nodeArguments = [...CLOCK_AHEAD, ...SERVICE_ARGUMENTS];
  const ahead = await ServiceProcess.open(t, settings, { nodeArguments });
  assert.match(ahead.output, /"differenceMs":(59|60|61)\d{3},.*the clocks .* differ/);
  return [first, second, ahead];
}

/**
 * Kills nodes during 16 writers: nothing acknowledged is lost or duplicated, nothing revoked is accepted, and nothing is left.
 *
 * @param toDraftFolder returns the folder of the drafts of a node
 */
export async function killNodesUnderLoad(
  t: TestContext,
  settings: NodeSettings,
  toDraftFolder: (node: ServiceProcess) => string,
): Promise<void> {
  const nodes = await openNodes(t, settings);
  const client = new NodesClient(nodes, await nodes[0].readBootstrapToken());
  const load = new NodesLoad(client);
  // If an assertion fails, the writers end here.
  t.after(() => {
    load.stop();
    client.close();
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const writers = load.run();
    // An assertion of a writer is reported below.
    writers.catch(() => {});
    await load.waitForChanges(32);
    await delay(200 * Math.random());
    // One node, or two of the three at the same time. Each is killed in some round.
    const killed = round % 3 === 2 ? [nodes[0], nodes[1]] : [nodes[(round + 2) % 3]];
    await Promise.all(killed.map((node) => node?.kill()));
    // The others continue.
    await load.waitForChanges(16);
    await Promise.all(killed.map((node) => node?.start()));
    await load.waitForChanges(16);
    load.stop();
    await writers;
    for (const node of nodes) await assertStored(load, { client, node, ids: load.changed });
  }
  const all = new Set([...load.tokens.keys(), ...load.designs.keys(), ...load.deleted]);
  for (const { id } of load.revoked) all.add(id);
  await assertStored(load, { client, node: nodes[0], ids: all });
  const statuses = await assertSettled(load, client);
  await assertNothingDuplicated(load, settings.CLOCHE_DATABASE_URL);
  await assertNothingLeft(nodes, toDraftFolder);
  reportCounts(t, load, { retries: client.retries, ...statuses });
}

function reportCounts(
  t: TestContext,
  load: NodesLoad,
  { retries, failed, ready }: { retries: number; failed: number; ready: number },
): void {
  const { tokens, revoked, designs, deleted, uploads, replacements } = load;
  t.diagnostic(
    `${ROUNDS} rounds: ${tokens.size} tokens, ${revoked.length} revoked, ${deleted.size} designs deleted, ` +
      `${designs.size} kept (${failed} failed), ${replacements} models replaced, ${retries} requests sent again, ` +
      `${uploads.finished} resumable uploads, ${uploads.continued} times continued`,
  );
  const counts = [
    tokens.size,
    revoked.length,
    designs.size,
    ready,
    replacements,
    retries,
    uploads.finished,
  ];
  assert.ok(
    counts.every((count) => count > 0),
    `nothing of one kind happened: ${counts}`,
  );
}

/** Asserts that a node knows what was acknowledged by any node, of the tokens and designs with these ids. */
async function assertStored(
  load: NodesLoad,
  { client, node, ids }: { client: NodesClient; node: ServiceProcess; ids: ReadonlySet<string> },
): Promise<void> {
  const isSelected = ({ id }: { id: string }) => ids.has(id);
  for (const { id, token, name } of load.tokens.values().filter(isSelected)) {
    const response = await client.send(node, `/v1/tokens/${id}`, { token });
    assert.equal(response.status, 200, `token ${id} is missing`);
    assert.equal(((await response.json()) as { name: string }).name, name);
  }
  for (const { id, token } of load.revoked.filter(isSelected)) {
    const { status } = await client.send(node, `/v1/tokens/${id}`, { token });
    assert.equal(status, 401, 'a revoked token is accepted');
  }
  for (const [id, revisions] of load.designs.entries().filter(([id]) => ids.has(id))) {
    // That of the latest revision that is ready.
    const response = await client.send(node, `/v1/designs/${id}/model`);
    assert.equal(response.status, 200, `design ${id} is missing`);
    const stored = Buffer.from(await response.arrayBuffer());
    assert.ok(
      revisions.some((bytes) => stored.equals(bytes)),
      `design ${id} is damaged`,
    );
  }
  for (const id of load.deleted.values().filter((id) => ids.has(id))) {
    const { status } = await client.send(node, `/v1/designs/${id}`);
    assert.equal(status, 404, `design ${id} was deleted`);
  }
}

/** Waits until each design is ready, or failed with a reason. Returns how many are. */
async function assertSettled(load: NodesLoad, client: NodesClient) {
  const [node] = client.nodes as [ServiceProcess];
  const counts = { ready: 0, failed: 0 };
  for (const id of load.designs.keys()) {
    const design = await waitUntil(
      `design ${id} to be processed`,
      async () => {
        const found = (await (await client.send(node, `/v1/designs/${id}`)).json()) as Design;
        return (found.status === 'ready' || found.status === 'failed') && found;
      },
      { timeoutMs: PROCESSING_TIMEOUT_MS },
    );
    if (design.status === 'failed') assert.ok(design.problem?.detail, 'failed without a reason');
    counts[design.status === 'ready' ? 'ready' : 'failed'] += 1;
  }
  return counts;
}

/** Asserts that the database contains what was acknowledged, each once and in its order, and nothing else. */
async function assertNothingDuplicated(load: NodesLoad, database: string): Promise<void> {
  const assertIds = async (sql: string, acknowledged: readonly string[]) => {
    const { rows } = await runSql(database, sql);
    const found = new Set(rows.map(({ id }) => String(id)));
    const expected = new Set(acknowledged);
    const differences = {
      missing: [...expected.difference(found)],
      duplicated: [...found.difference(expected)],
    };
    assert.deepEqual(differences, { missing: [], duplicated: [] }, sql);
  };
  const revoked = load.revoked.map(({ id }) => id);
  const created = `SELECT id FROM token WHERE capabilities = '["read"]'`;
  await assertIds(created, [...load.tokens.keys(), ...revoked]);
  await assertIds('SELECT id FROM design', [...load.designs.keys()]);
  await assertIds('SELECT id FROM job', []);
  const revisions = load.designs
    .entries()
    .flatMap(([design, files]) =>
      files.map((bytes, index) => `${design} ${index + 1} ${hash('sha256', bytes)}`),
    );
  await assertIds(`SELECT design_id || ' ' || number || ' ' || source_blob AS id FROM revision`, [
    ...revisions,
  ]);
}

async function assertNothingLeft(
  nodes: Nodes,
  toDraftFolder: (node: ServiceProcess) => string,
): Promise<void> {
  const listLeft = async () => {
    const folders = new Set(nodes.map(toDraftFolder));
    const listFiles = (folder: string) => readdir(folder, { recursive: true, withFileTypes: true });
    const entries = (await Promise.all([...folders].map(listFiles))).flat();
    const drafts = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const jobs = await Promise.all(nodes.map((node) => readdir(join(node.dataDirectory, 'jobs'))));
    const processes = nodes.flatMap((node) => findProcessesUsing(join(node.dataDirectory, 'jobs')));
    return [...drafts, ...jobs.flat(), ...processes];
  };
  let left: unknown[] = [];
  await waitUntil(
    () => `files or processes that are left: ${JSON.stringify(left)}`,
    async () => {
      left = await listLeft();
      return left.length === 0;
    },
  );
}
