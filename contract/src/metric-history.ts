import Type, { type Static } from 'typebox';

const Count = (description?: string) =>
  Type.Integer(description === undefined ? {} : { description });
/** Numbers by name. As OpenAPI has it, which has no `patternProperties`. */
const Counts = (options: { description: string }) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    ...options,
  });
const OrNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const NO_REQUESTS = 'Null: there were no requests.';
const Latency = (description: string) =>
  Type.Object(
    { p50: OrNull(Type.Number(), NO_REQUESTS), p95: OrNull(Type.Number(), NO_REQUESTS) },
    { description },
  );
const CacheUse = (description?: string) =>
  Type.Object({ hits: Count(), misses: Count() }, description === undefined ? {} : { description });

/** What one minute was like: of one node, or of all. */
export const MetricSample = Type.Object({
  at: Type.String({ format: 'date-time', description: 'The end of the minute.' }),
  node: OrNull(Type.String(), 'Null: all nodes together.'),
  requests: Type.Object(
    {
      success: Count(),
      redirect: Count('Also 304: the client has the response in its cache.'),
      clientError: Count(),
      serverError: Count(),
      aborted: Count('The client disconnected before it had the response.'),
      byRoute: Counts({
        description:
          'The requests of the ten routes with the most; `none`: no route matched. Of each node, its ten.',
      }),
    },
    { description: 'Requests in this minute, by the class of their status, and by route.' },
  ),
  gate: Type.Object(
    {
      allowed: Count(),
      refused: Count(),
      refusedByCode: Counts({
        description: 'The number of refusals for each code of a problem.',
      }),
    },
    { description: 'Decisions in this minute whether a page may show a design.' },
  ),
  latencyMs: Latency('Durations of requests, estimated from a histogram.'),
  jobs: Type.Object({
    waiting: Count('At the end of the minute, of all nodes.'),
    running: Count('At the end of the minute, of all nodes.'),
    oldestWaitingSeconds: Count('How long the oldest waiting job has waited. 0: none waits.'),
    ready: Count('Ended in this minute.'),
    failed: Count('Ended in this minute.'),
  }),
  workers: Type.Object(
    {
      ended: Count(),
      meanMs: OrNull(Type.Integer(), 'Null: none ended.'),
      longestMs: OrNull(Type.Integer(), 'Null: none ended.'),
      memoryBytes: OrNull(Type.Integer(), 'The most memory of one. Null: none reported it.'),
    },
    { description: 'Worker processes that ended in this minute, one for each attempt of a job.' },
  ),
  cpuMs: Count(
    'CPU time of the service in this minute, without its workers. Of several nodes, the sum.',
  ),
  eventLoop: OrNull(
    Type.Object({ p95Ms: Type.Number(), longestMs: Type.Number() }),
    'How late the event loop was in this minute. Of several nodes, the most. Null: an older version.',
  ),
  garbageCollectionMs: Count(
    'Time of the garbage collection in this minute. Of several nodes, the sum.',
  ),
  openFiles: OrNull(
    Type.Integer(),
    'Open files and connections of the service at the end of the minute. Of several nodes, the sum. Null: the system does not tell.',
  ),
  memoryBytes: Count('The memory of the service, without its workers. Of several nodes, the sum.'),
  freeBytes: Count('Free space of the disk with the data directory. Of several nodes, the least.'),
  lagMs: OrNull(
    Type.Integer(),
    'With PostgreSQL: changes of other nodes until so long ago were known. Of several nodes, the most.',
  ),
  connections: OrNull(
    Type.Object({
      used: Count(),
      idle: Count(),
      waiting: Count('Queries that wait for a connection.'),
    }),
    'With PostgreSQL: the connections at the end of the minute.',
  ),
  s3: OrNull(
    Type.Object({
      requests: Count('A repeated request counts again.'),
      failed: Count(),
      byOperation: Counts({
        description: 'The number of requests for each operation, such as `GetObject`.',
      }),
      latencyMs: Latency('Time until a response begins, estimated from a histogram.'),
    }),
    'With S3: requests in this minute.',
  ),
  caches: Type.Object(
    {
      tokens: CacheUse('Tokens and sessions.'),
      designs: CacheUse('Designs, revisions and the origins of pages.'),
      documents: CacheUse('Framed documents and their asset grants.'),
      files: CacheUse('Small files in memory.'),
      diskFiles: OrNull(CacheUse(), 'Files of a bucket on the disk. Null: there is no such cache.'),
    },
    { description: 'Reads of the caches in this minute.' },
  ),
  cacheBytes: Type.Object(
    {
      memory: Count('Of the caches that are limited in bytes.'),
      disk: OrNull(Type.Integer(), 'Null: there is no cache on the disk.'),
    },
    { description: 'The size of the caches at the end of the minute.' },
  ),
});
export type MetricSample = Static<typeof MetricSample>;

/** One sample for each minute of the last day, oldest first. */
export const MetricHistory = Type.Object({
  intervalSeconds: Type.Integer(),
  nodes: Type.Array(Type.String(), { description: 'The nodes that have samples.' }),
  samples: Type.Array(MetricSample),
});
export type MetricHistory = Static<typeof MetricHistory>;

export const MetricHistoryQuery = Type.Object(
  {
    nodes: Type.Optional(
      Type.Enum(['sum', 'each'], {
        description: '`each`: a sample of each node for each minute. Default: `sum`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type MetricHistoryQuery = Static<typeof MetricHistoryQuery>;
