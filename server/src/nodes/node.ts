import type { Node, NodeRole } from '@cloche/contract/node';

/** A process of the service. Several of them can use one PostgreSQL database. */
export type NodeRecord = {
  id: string;
  role: NodeRole;
  /** The version of the program. */
  version: string;
  /** Where the node stores files: an id of the folder, or the URL of the bucket. */
  files: string;
  startedAt: Date;
  /** When it last reported that it runs. */
  seenAt: Date;
};

/** How often a node reports that it runs. */
export const HEARTBEAT_INTERVAL_MS = 5_000;
/** A node that did not report for so long has ended. */
export const MAX_SILENCE_MS = 30_000;

/** The advisory lock with which a node joins the others, or updates the database. */
export const NODES_LOCK = 'nodes';

/** Returns a node as the API describes it. */
export function toNode({ id, role, version, startedAt, seenAt }: NodeRecord): Node {
  return {
    id,
    role,
    version,
    startedAt: startedAt.toISOString(),
    seenAt: seenAt.toISOString(),
  };
}
