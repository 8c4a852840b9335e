import type { MetricSample } from '@cloche/contract/metric-history';

const REFUSALS = {
  'token.origin': 9,
  'token.revoked': 7,
  'token.expired': 5,
  'token.unknown': 3,
  'embed.prefetch': 1,
  'embed.not-an-iframe': 1,
};

/** Parts of all requests. There are more than a plot shows: the least frequent are one line. */
const ROUTES = {
  '/embed/iframe/v1/:designId': 0.4,
  '/embed/assets/v1/:designId/:revision/:file': 0.3,
  '/v1/designs': 0.1,
  '/v1/designs/:id': 0.05,
  '/v1/uploads/:id': 0.03,
};

/**
 * Samples of a day, one each minute, with a gap of two hours. `success` is the number of the minute. Several nodes have
 * PostgreSQL and S3.
 */
export function createMetricSamples(now: Date, kind: 'single' | 'several'): MetricSample[] {
  const isShared = kind === 'several';
  const minutes = Array.from({ length: 1440 }, (_, index) => index + 1);
  return minutes
    .filter((minute) => minute < 600 || minute > 720)
    .map((minute) => ({
      at: new Date(now.getTime() - (1440 - minute) * 60_000).toISOString(),
      node: null,
      requests: {
        ...{ success: minute, redirect: 0, clientError: 3, serverError: 1, aborted: 0 },
        byRoute: Object.fromEntries(
          Object.entries(ROUTES).map(([route, part]) => [route, Math.floor(part * minute)]),
        ),
      },
      gate: { allowed: minute % 300, refused: 26, refusedByCode: REFUSALS },
      latencyMs: minute % 100 === 0 ? { p50: null, p95: null } : { p50: 4.2, p95: 31 },
      jobs: {
        waiting: minute % 40,
        running: 2,
        oldestWaitingSeconds: minute % 40,
        failed: 0,
        ready: 1,
      },
      workers:
        minute % 20 !== 0
          ? { ended: 0, meanMs: null, longestMs: null, memoryBytes: null }
          : { ended: 2, meanMs: 4000 + minute, longestMs: 9000 + minute, memoryBytes: 3e8 },
      cpuMs: 600 * (20 + (minute % 30)),
      eventLoop: { p95Ms: 1.5, longestMs: 20 + (minute % 11) },
      garbageCollectionMs: 300 + (minute % 60),
      openFiles: 60 + (minute % 9),
      memoryBytes: 300_000_000 + minute * 100_000,
      freeBytes: 80_000_000_000 - minute * 10_000_000,
      lagMs: isShared ? 40 + (minute % 7) : null,
      connections: isShared ? { used: minute % 8, idle: 8 - (minute % 8), waiting: 0 } : null,
      s3: isShared
        ? {
            requests: 300 + (minute % 90),
            failed: 1,
            byOperation: { GetObject: 250, PutObject: 50 + (minute % 90) },
            latencyMs: { p50: 9, p95: 40 + (minute % 9) },
          }
        : null,
      caches: {
        tokens: { hits: 90, misses: 10 },
        designs: { hits: 80, misses: 20 },
        documents: { hits: 0, misses: 0 },
        files: { hits: 50, misses: 50 },
        diskFiles: isShared ? { hits: 30, misses: 70 } : null,
      },
      cacheBytes: { memory: 2e7 + minute * 1000, disk: isShared ? 8e8 + minute * 100_000 : null },
    }));
}

const HOSTILE = `<img src=x onerror="document.title='x'">\u202e{{x}}${'W'.repeat(150)}`;
/** When all that is in these states happened. */
export const TIME = '2026-05-04T09:15:00.000Z';

/** Many jobs of the state in the URL, with hostile names and every fact. */
export function createJobList(state: string): object {
  const items = Array.from({ length: 50 }, (_, index) => ({
    id: `job-${index}`,
    state,
    purpose: index === 1 ? 'poster' : 'process',
    design: { id: `design-${index}`, name: index === 0 ? HOSTILE : `Design ${index}` },
    revision: 1_000_000,
    owner: { id: 'usr_other', name: index === 0 ? HOSTILE : 'anna' },
    createdAt: TIME,
    attempts: index === 2 ? null : 3,
    dueAt: state === 'waiting' ? TIME : null,
    node: `node_${'n'.repeat(60)}`,
    failedAt: state === 'failed' ? TIME : null,
    problem: state === 'failed' ? { code: 'design.unreadable', detail: HOSTILE } : null,
  }));
  const counts = { waiting: 123_456, running: 50, failed: 7_890 };
  return { items, nextCursor: 'next', counts };
}

/** Many users: with a hostile name, with quotas that are used up, and without. */
export function createUserList(): object {
  const items = Array.from({ length: 50 }, (_, index) => ({
    id: `usr_${index}`,
    name: index === 0 ? HOSTILE : `user-${index}`,
    operator: index === 1,
    active: index % 3 !== 0,
    createdAt: TIME,
    disabledAt: null,
    designs: 31 * index,
    tokens: 2,
    storedBytes: 1e11 * index,
    maxMegabytes: null,
    maxDesigns: 5,
    limits: { bytes: index % 2 === 0 ? null : 1e12, designs: 200 },
  }));
  return { items, nextCursor: 'next' };
}

/** A service with several nodes, a reduced sandbox and a backup. */
export function createSystem(): object {
  const node = { role: 'all', version: '0.1.0', startedAt: TIME, seenAt: TIME };
  return {
    version: '0.1.0',
    nodeVersion: 'v24.21.0',
    startedAt: TIME,
    node: { id: `node_${'n'.repeat(60)}`, role: 'all' },
    database: { kind: 'postgres', version: '18.4 (Debian 18.4-1.pgdg120+1)' },
    storage: 's3',
    sandbox: {
      level: 'reduced',
      reason: 'bubblewrap is not installed; run: apt-get install bubblewrap',
      missing: ['system calls: there is no filter', 'files: native code can read them'],
    },
    posters: false,
    nodes: [
      { ...node, id: `node_${'n'.repeat(60)}` },
      { ...node, id: 'node_2', role: 'worker' },
    ],
    backup: {
      last: { finishedAt: TIME, version: '0.1.0', designs: 31, files: 412_000, bytes: 3e11 },
      running: true,
    },
    logLevel: { level: 'debug', configured: 'info' },
  };
}

/** What a large service stores, on a disk that is nearly full. */
export function createStorageUse(): object {
  return {
    countedAt: TIME,
    designs: 31_000,
    revisions: 41_000,
    sources: { files: 31_000, bytes: 4e11 },
    artifacts: { files: 381_000, bytes: 1e11 },
    uploads: { files: 3, bytes: 2.5e9 },
    storage: 's3',
    disk: {
      freeBytes: 5e11,
      totalBytes: 2e12,
      reserveBytes: 4e6,
      reserveTargetBytes: 16e6,
    },
  };
}
