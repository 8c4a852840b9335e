import Type, { type Static } from 'typebox';
import { LogLevelState } from './log-level.ts';
import { NODE_ROLES, Node } from './node.ts';

/** Where the files of designs are. `shared-folder`: a folder that several nodes use. */
const STORAGE_KINDS = ['folder', 'shared-folder', 's3'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];
const Storage = Type.Enum([...STORAGE_KINDS], {
  description: 'Where files are: in the data directory, in a folder of several nodes, or in S3.',
});

/** The last backup that was completed. */
export const BackupState = Type.Object({
  last: Type.Union(
    [
      Type.Object({
        finishedAt: Type.String({ format: 'date-time' }),
        version: Type.String({ description: 'The version of the program that made it.' }),
        designs: Type.Integer(),
        files: Type.Integer(),
        bytes: Type.Integer({ description: 'The size of its files and its database.' }),
      }),
      Type.Null(),
    ],
    { description: 'Null: the command `backup` has never completed.' },
  ),
  running: Type.Boolean({ description: 'Whether one is being made.' }),
});
export type BackupState = Static<typeof BackupState>;

/** The service, and the node that answers. */
export const SystemInfo = Type.Object({
  version: Type.String({ description: 'The version of Cloche.' }),
  nodeVersion: Type.String({ description: 'The version of Node.' }),
  startedAt: Type.String({ format: 'date-time' }),
  node: Type.Object(
    { id: Type.String(), role: Type.Enum([...NODE_ROLES]) },
    { description: 'The node that answers. What follows about the sandbox is about this node.' },
  ),
  database: Type.Object({
    kind: Type.Enum(['sqlite', 'postgres']),
    version: Type.String(),
  }),
  storage: Storage,
  sandbox: Type.Object({
    level: Type.Enum(['strict', 'reduced']),
    reason: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why the level is not `strict`, and the command that changes it if there is one.',
    }),
    missing: Type.Array(Type.String(), { description: 'The protections that are missing.' }),
  }),
  posters: Type.Boolean({ description: 'Whether a browser is available that renders posters.' }),
  nodes: Type.Array(Node, { description: 'As in `GET /v1/nodes`.' }),
  backup: BackupState,
  logLevel: LogLevelState,
});
export type SystemInfo = Static<typeof SystemInfo>;

const Files = (description: string) =>
  Type.Object({ files: Type.Integer(), bytes: Type.Integer() }, { description });

/** What the service stores. */
export const StorageUse = Type.Object({
  countedAt: Type.String({
    format: 'date-time',
    description: 'When the numbers were counted, except those of the disk: once a minute at most.',
  }),
  designs: Type.Integer(),
  revisions: Type.Integer(),
  sources: Files('The files that owners have sent. One that was sent twice counts twice.'),
  artifacts: Files('The files that were generated for embeds.'),
  uploads: Files('What was received of uploads that are not complete.'),
  storage: Storage,
  disk: Type.Object(
    {
      freeBytes: Type.Integer(),
      totalBytes: Type.Integer(),
      reserveBytes: Type.Integer({
        description: 'Occupied so that designs can be deleted when the disk is full.',
      }),
      reserveTargetBytes: Type.Integer({ description: 'What the reserve should occupy.' }),
    },
    { description: 'The disk with the data directory of the node that answers.' },
  ),
});
export type StorageUse = Static<typeof StorageUse>;
