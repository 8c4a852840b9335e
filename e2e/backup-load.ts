import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { openServiceData } from '../server/src/commands/open-service-data.ts';
import { readConfig } from '../server/src/config.ts';
import { collectGarbage } from '../server/src/installation/collect-garbage.ts';
import { InstallationError } from '../server/src/installation/installation-error.ts';
import { openUsedBlobs } from '../server/src/installation/open-installation.ts';
import { runSql } from '../server/testing/run-sql.ts';
import type { ApiClient } from './api-client.ts';

const WRITERS = 4;
const TWO_DAYS_MS = 2 * 24 * 60 * 60_000;
const RETRY_DELAY_MS = 100;

type Settings = Record<string, string>;
/** The settings of nodes that share a database. */
export type SharedSettings = Settings & { CLOCHE_DATABASE_URL: string };

/** Writers that upload and delete through both nodes, and the deletion of the files that are not needed any more. */
export class BackupLoad {
  readonly #clients: readonly ApiClient[];
  readonly #settings: SharedSettings;
  stopped = false;
  deletedFiles = 0;

  constructor(clients: readonly ApiClient[], settings: SharedSettings) {
    this.#clients = clients;
    this.#settings = settings;
  }

  async run(): Promise<void> {
    const writers = Array.from({ length: WRITERS }, (_, index) => this.#write(index));
    await Promise.all([...writers, this.#deleteFiles()]);
  }

  stop(): void {
    this.stopped = true;
  }

  async #write(writer: number): Promise<void> {
    const ids: string[] = [];
    for (let index = writer; !this.stopped; index += 1) {
      const api = this.#clients[index % this.#clients.length] as ApiClient;
      const color = [Math.random(), Math.random(), Math.random()] as const;
      const { status, body, text } = await api.upload(makeBox({ color: [...color] }));
      // The queue is full.
      if (status === 503) await delay(RETRY_DELAY_MS);
      else {
        assert.equal(status, 201, text);
        ids.push(body.id);
      }
      if (ids.length < 3) continue;
      await this.#deleteDesign(api, ids.shift() ?? '');
    }
  }

  async #deleteDesign(api: ApiClient, id: string): Promise<void> {
    const { CLOCHE_DATABASE_URL: url } = this.#settings;
    const { rows } = await runSql(
      url,
      `SELECT unnest(ARRAY[source_blob, blob, brotli_blob]) AS blob
       FROM revision LEFT JOIN artifact ON revision_id = id WHERE design_id = '${id}'`,
    );
    const response = await api.request(`/v1/designs/${id}`, { method: 'DELETE' });
    assert.equal(response.status, 204);
    // As if they had been stored an hour ago, so that a node may delete them.
    const blobs = rows.flatMap(({ blob }) => (blob === null ? [] : [`'${blob}'`]));
    await runSql(url, `DELETE FROM retained_blob WHERE blob IN (${blobs.join()})`);
  }

  async #deleteFiles(): Promise<void> {
    while (!this.stopped) {
      this.deletedFiles += (await deleteGarbage(this.#settings)).count;
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Does what `gc` does, two days later. */
export async function deleteGarbage(settings: Settings): Promise<{ count: number; bytes: number }> {
  const config = readConfig(settings);
  await using data = await openServiceData(config);
  await using opened = await openUsedBlobs(config);
  const isBucket = config.s3 !== undefined;
  const options = { database: data.database, blobs: opened.blobs, isBucket, dryRun: false };
  try {
    return await collectGarbage({ ...options, now: new Date(Date.now() + TWO_DAYS_MS) });
  } catch (error) {
    // A node does so at this moment.
    if (error instanceof InstallationError) return { count: 0, bytes: 0 };
    throw error;
  }
}
