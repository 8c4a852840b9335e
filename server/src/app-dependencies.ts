import type { NodeRole } from '@cloche/contract/node';
import type { StorageKind } from '@cloche/contract/system';
import type { BlobStore } from './blobs/blob-store.ts';
import type { ConsoleBuild } from './console/console-build.ts';
import type { Database } from './database/database.ts';
import type { PoolUse } from './database/postgres-connections.ts';
import type { Reserve } from './disk/disk-reserve.ts';
import type { ViewerBuild } from './embed/viewer-build.ts';
import type { EventSource } from './events/event.ts';
import type { CdnSettings } from './http/cdn-settings.ts';
import type { AddressRange } from './http/client-address.ts';
import type { ClientLimits } from './http/limits.ts';
import type { Logger } from './http/logger.ts';
import type { Timeouts } from './http/timeouts.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { MinuteCounters } from './metrics/minute-counters.ts';
import type { NodeRecord } from './nodes/node.ts';
import type { FetchPageOptions } from './page-check/fetch-page.ts';
import type { ProcessingEnvironment } from './processing/processing-environment.ts';
import type { QuotaLimits } from './quotas/quota.ts';
import type { SdkBuild } from './sdk/sdk-build.ts';
import type { UploadSegments } from './uploads/upload-segments.ts';

/** The dependencies of the app. `serve.ts` opens them for the service, `server/testing/harness.ts` for tests. */
export type AppDependencies = {
  database: Database;
  reserve: Reserve;
  blobs: BlobStore;
  /** The bytes of resumable uploads. */
  segments: UploadSegments;
  viewer: ViewerBuild;
  console: ConsoleBuild;
  sdk: SdkBuild;
  /** The public origin of the service. */
  publicUrl: string;
  /** Earlier public origins. */
  formerOrigins?: readonly string[];
  /** The key that signs asset grants. */
  grantKey: Buffer;
  maxUploadBytes: number;
  /** The CDN in front of artifacts. Default: none. */
  cdn?: CdnSettings | undefined;
  /** Default: none. */
  trustedProxies?: readonly AddressRange[];
  /** How pages are fetched to check their embeds. Default: only from public addresses. */
  pageFetching?: Omit<FetchPageOptions, 'userAgent'>;
  limits?: Partial<ClientLimits>;
  /** The quotas of users without quotas of their own. Default: none. */
  quotas?: QuotaLimits;
  processing: ProcessingEnvironment;
  now?: () => Date;
  /** Where the files of designs are. Default: a folder. */
  storageKind?: StorageKind | undefined;
  /** The clock of leases. Default: `now`. */
  leaseTime?: () => Promise<Date>;
  /** The id of this process among those that use the database. Default: `node`, if there is only one. */
  nodeId?: string;
  /** With PostgreSQL, the events of all processes. Without them, nothing is cached. */
  events?: EventSource | undefined;
  /** Default: all. */
  role?: NodeRole;
  /** Lists the nodes that use the database. Default: none. */
  listNodes?: (() => Promise<NodeRecord[]>) | undefined;
  /** Default: nothing is logged. */
  log?: Logger;
  /** Default: nothing is counted. */
  metrics?: Metrics | undefined;
  /** Counts for the plots of operators. May count already what happens outside the app. Default: new ones. */
  counters?: MinuteCounters;
  /** With PostgreSQL, the use of its connections. */
  readPoolUse?: (() => PoolUse) | undefined;
  timeouts?: Partial<Timeouts>;
};
