import { LogLevelState, SetLogLevelRequest } from '@cloche/contract/log-level';
import type { NodeRole } from '@cloche/contract/node';
import { type StorageKind, StorageUse, SystemInfo } from '@cloche/contract/system';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readBackupState } from '../blobs/completed-backup.ts';
import type { Database } from '../database/database.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { readDatabaseVersion } from '../database/read-database-version.ts';
import type { Reserve } from '../disk/disk-reserve.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { LogLevelSetting } from '../http/log-level-setting.ts';
import { type NodeRecord, toNode } from '../nodes/node.ts';
import type { ProcessingEnvironment } from '../processing/processing-environment.ts';
import { FOR_OPERATORS, OPERATOR_TAGS } from './route-description.ts';
import type { StorageCounter } from './storage-counter.ts';

export type SystemRouteDependencies = {
  database: Database;
  processing: Pick<ProcessingEnvironment, 'sandbox' | 'posterRenderer'>;
  reserve: Reserve;
  storage: StorageCounter;
  storageKind: StorageKind;
  nodeId: string;
  role: NodeRole;
  listNodes(): Promise<NodeRecord[]>;
  logLevelSetting: LogLevelSetting;
  now: () => Date;
};

/** /v1/system, /v1/storage and /v1/log-level: the state of the service. */
export const systemRoutes: FastifyPluginAsyncTypebox<SystemRouteDependencies> = async (
  app,
  dependencies,
) => {
  const { database, reserve, storage, storageKind, listNodes, logLevelSetting } = dependencies;
  const describe = createDescription(dependencies);

  app.get('/system', { config: { auth: 'read' }, schema: SYSTEM_SCHEMA }, async () => ({
    ...describe(),
    database: await readDatabaseVersion(database),
    nodes: (await listNodes()).map(toNode),
    backup: await readBackupState(database),
    logLevel: logLevelSetting.state,
  }));

  app.get('/storage', { config: { auth: 'read' }, schema: STORAGE_SCHEMA }, async () => {
    const { countedAt, bytesByUser: _, ...counts } = await storage.getCounts();
    const disk = await reserve.readSpace();
    return { countedAt: countedAt.toISOString(), ...counts, storage: storageKind, disk };
  });

  app.get(
    '/log-level',
    { config: { auth: 'read' }, schema: READ_LEVEL_SCHEMA },
    async () => logLevelSetting.state,
  );

  app.put(
    '/log-level',
    { config: { auth: 'write', idempotencyKey: false }, schema: SET_LEVEL_SCHEMA },
    async ({ body: { level }, token, log }) => {
      // A logger of its own: this line must be written at any level.
      const audit = log.child({}, { level: 'info' });
      const details = { operator: token.user, token: token.id, from: logLevelSetting.state.level };
      audit.info({ ...details, to: level }, 'the log level was changed');
      logLevelSetting.apply(level);
      await publishEvent({ topic: 'log-level', level }, database);
      return logLevelSetting.state;
    },
  );
};

/** What does not change while this node runs. */
function createDescription({
  processing: { sandbox, posterRenderer },
  nodeId,
  role,
  storageKind,
  now,
}: SystemRouteDependencies) {
  const { level, missing, reason = null } = sandbox;
  const startedAt = now().toISOString();
  return () => ({
    version: PROGRAM_VERSION,
    nodeVersion: process.version,
    startedAt,
    node: { id: nodeId, role },
    storage: storageKind,
    sandbox: { level, missing, reason },
    posters: posterRenderer !== undefined,
  });
}

const SYSTEM_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Read the state of the service',
  description: FOR_OPERATORS,
  response: { 200: SystemInfo },
};
const STORAGE_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Read what the service stores',
  description: FOR_OPERATORS,
  response: { 200: StorageUse },
};
const READ_LEVEL_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Read the log level of this node',
  description: FOR_OPERATORS,
  response: { 200: LogLevelState },
};
const SET_LEVEL_SCHEMA = {
  tags: OPERATOR_TAGS,
  summary: 'Set the log level of all nodes',
  description: `Valid until a node is restarted: then its setting applies again. ${FOR_OPERATORS}`,
  body: SetLogLevelRequest,
  response: { 200: LogLevelState },
};
