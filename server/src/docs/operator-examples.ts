import type { LogLevelState, SetLogLevelRequest } from '@cloche/contract/log-level';
import type { MetricHistory } from '@cloche/contract/metric-history';
import type { ProcessingJob } from '@cloche/contract/processing-job';
import type { StorageUse, SystemInfo } from '@cloche/contract/system';
import type { CreateUserRequest, SignInLink, UpdateUserRequest, User } from '@cloche/contract/user';

const user: User = {
  id: 'usr_1nB7cX0pLq9sT4vW',
  name: 'anna',
  operator: false,
  active: true,
  createdAt: '2026-05-04T09:15:00.000Z',
  disabledAt: null,
  designs: 31,
  tokens: 2,
  storedBytes: 48_213_004,
  maxMegabytes: 500,
  maxDesigns: null,
  limits: { bytes: 524_288_000, designs: null },
};

const signInLink: SignInLink = {
  url: 'https://cloche.example.com/#sign-in=cloche_ss_…',
  expiresAt: '2026-05-04T09:25:00.000Z',
};

const job: ProcessingJob = {
  id: '0b6c1f5e-4c1b-4f3e-a3a5-0f0d9d7b1e21',
  state: 'failed',
  purpose: 'process',
  design: { id: '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55', name: 'Oak chair' },
  revision: 2,
  owner: { id: user.id, name: user.name },
  createdAt: '2026-05-04T09:15:00.000Z',
  attempts: 1,
  dueAt: null,
  node: 'node_4f1c9a2e',
  failedAt: '2026-05-04T09:15:04.000Z',
  problem: { code: 'design.unreadable', detail: 'Line 3 ends too soon.' },
};

const logLevel: LogLevelState = { level: 'debug', configured: 'info' };

const system: SystemInfo = {
  version: '0.1.0',
  nodeVersion: 'v24.21.0',
  startedAt: '2026-05-04T06:00:00.000Z',
  node: { id: 'node_4f1c9a2e', role: 'all' },
  database: { kind: 'sqlite', version: '3.53.4' },
  storage: 'folder',
  sandbox: {
    level: 'reduced',
    reason: 'bubblewrap is not installed (apt install bubblewrap)',
    missing: ['system calls: there is no filter'],
  },
  posters: true,
  nodes: [],
  backup: {
    last: {
      finishedAt: '2026-05-04T03:00:12.000Z',
      version: '0.1.0',
      designs: 31,
      files: 412,
      bytes: 301_482_300,
    },
    running: false,
  },
  logLevel,
};

const storage: StorageUse = {
  countedAt: '2026-05-04T09:15:00.000Z',
  designs: 31,
  revisions: 44,
  sources: { files: 44, bytes: 96_213_004 },
  artifacts: { files: 368, bytes: 205_269_296 },
  uploads: { files: 1, bytes: 1_048_576 },
  storage: 'folder',
  disk: {
    freeBytes: 81_604_378_624,
    totalBytes: 107_374_182_400,
    reserveBytes: 8_388_608,
    reserveTargetBytes: 8_388_608,
  },
};

const history: MetricHistory = {
  intervalSeconds: 60,
  nodes: ['node_4f1c9a2e'],
  samples: [
    {
      at: '2026-05-04T09:15:00.000Z',
      node: null,
      requests: {
        ...{ success: 412, redirect: 18, clientError: 3, serverError: 0, aborted: 1 },
        byRoute: { '/embed/iframe/v1/:designId': 59, '/v1/designs/:id': 31 },
      },
      gate: { allowed: 57, refused: 2, refusedByCode: { 'token.expired': 2 } },
      latencyMs: { p50: 1.4, p95: 11.2 },
      jobs: { waiting: 0, running: 1, oldestWaitingSeconds: 0, ready: 2, failed: 0 },
      workers: { ended: 2, meanMs: 4210, longestMs: 7031, memoryBytes: 318_767_104 },
      cpuMs: 2410,
      eventLoop: { p95Ms: 0.4, longestMs: 21.7 },
      garbageCollectionMs: 64,
      openFiles: 48,
      memoryBytes: 142_606_336,
      freeBytes: 81_604_378_624,
      lagMs: 40,
      connections: { used: 1, idle: 4, waiting: 0 },
      s3: {
        ...{ requests: 31, failed: 0, latencyMs: { p50: 8.5, p95: 42 } },
        byOperation: { GetObject: 24, PutObject: 7 },
      },
      caches: {
        tokens: { hits: 402, misses: 3 },
        designs: { hits: 188, misses: 9 },
        documents: { hits: 95, misses: 12 },
        files: { hits: 120, misses: 31 },
        diskFiles: { hits: 22, misses: 9 },
      },
      cacheBytes: { memory: 21_430_112, disk: 812_310_044 },
    },
  ],
};

/** One example for each schema of the routes for operators. */
export const operatorExamples = {
  User: user,
  UserList: { items: [user], nextCursor: null },
  CreateUserRequest: { name: 'anna' } satisfies CreateUserRequest,
  CreatedUser: { ...user, signInLink },
  UpdateUserRequest: { maxMegabytes: 500 } satisfies UpdateUserRequest,
  SignInLink: signInLink,
  ProcessingJob: job,
  ProcessingJobList: {
    items: [job],
    nextCursor: null,
    counts: { waiting: 0, running: 1, failed: 1 },
  },
  SystemInfo: system,
  StorageUse: storage,
  LogLevelState: logLevel,
  MetricHistory: history,
  SetLogLevelRequest: { level: 'debug' } satisfies SetLogLevelRequest,
};
