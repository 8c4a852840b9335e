import type { Kysely, Transaction as KyselyTransaction } from 'kysely';

/** The tables and their rows. Times are ISO 8601 UTC text; lists and objects are JSON text. */
export type Tables = {
  user: UserRow;
  token: TokenRow;
  token_origin: TokenOriginRow;
  design: DesignRow;
  design_tag: DesignTagRow;
  revision: RevisionRow;
  artifact: ArtifactRow;
  early_preview: EarlyPreviewRow;
  job: JobRow;
  idempotency_key: IdempotencyKeyRow;
  change: ChangeRow;
  node: NodeRow;
  retained_blob: RetainedBlobRow;
  blob_removal: BlobRemovalRow;
  embed_usage: EmbedUsageRow;
  backup: BackupRow;
  upload: TusUploadRow;
  upload_segment: SegmentRow;
  session: SessionRow;
  sign_in_link: SignInLinkRow;
  lease: LeaseRow;
  completed_backup: CompletedBackupRow;
  metric_sample: MetricSampleRow;
  upload_reservation: UploadReservationRow;
};

/** Runs queries, each in a transaction of its own. */
export type Database = Kysely<Tables>;

/** Runs queries in one transaction. Methods that join a transaction take it as `trx`. */
export type Transaction = KyselyTransaction<Tables>;

/** A row of `user`. */
export type UserRow = {
  id: string;
  /** Unique. */
  name: string;
  /** 1 or 0. */
  operator: number;
  created_at: string;
  disabled_at: string | null;
  /** Quotas of the user. 0: no limit. Null: those of the service. */
  max_megabytes: number | null;
  max_designs: number | null;
};

/** A row of `token`. */
export type TokenRow = {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the token string, hex. */
  hash: string;
  /** JSON: `Capability[]`. */
  capabilities: string;
  /** JSON: `string[]`. */
  origins: string;
  /** JSON: `string[]`, the design ids. Null: all designs of the user. */
  designs: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  seen_in_browser_at: string | null;
  /** The token of the request that created this one. Null: created on the machine of the service. */
  issued_by: string | null;
  /** The token that this one replaces, if it was created by a rotation. */
  replaces: string | null;
  /** The token that replaces this one, since `replaced_at`. */
  replaced_by: string | null;
  replaced_at: string | null;
  /** Incremented when origins are removed. Asset grants name it. */
  scope_version: number;
  /** Incremented by each change, except by recording its use. */
  version: number;
};

/** A row of `token_origin`: an origin whose pages used a token. */
export type TokenOriginRow = { token_id: string; origin: string; last_used_at: string };

/** A row of `design`. */
export type DesignRow = {
  id: string;
  user_id: string;
  name: string;
  description: string;
  /** The id in another system. Unique among the designs of a user. */
  external_id: string | null;
  /** JSON: `string[]`. Also in `design_tag`. */
  tags: string;
  /** JSON: `Record<string, string>`. */
  metadata: string;
  /** The triangle budget of its models. Null: that of the service. */
  max_triangles: number | null;
  /** The longest side of the textures of its models, in pixels. Null: that of the service. */
  max_texture_size: number | null;
  /** 1 or 0. */
  shared: number;
  /** JSON: `ViewerOptions`, the options of its embeds unless their URL has others. */
  viewer: string;
  status: string;
  /** The revision that embeds show. */
  revision_id: string | null;
  /** The highest number of a revision so far. Numbers of deleted revisions are not used again. */
  last_revision: number;
  /** `last_revision` when a PATCH last chose the revision to show. Only newer ones replace it. */
  chosen_at_revision: number;
  /** The name, with folded case. */
  sort_name: string;
  /** All texts that can be searched, with folded case. */
  search_text: string;
  created_at: string;
  updated_at: string;
  /** Incremented by each change. */
  version: number;
};

/** A row of `design_tag`: one of the tags of a design, for searching. */
export type DesignTagRow = { user_id: string; tag: string; design_id: string };

/** A row of `revision`. */
export type RevisionRow = {
  id: string;
  design_id: string;
  number: number;
  status: string;
  /** `BlobRef` of the source file. */
  source_blob: string;
  source_size_bytes: number;
  /** The name of the source file, as its client sent it. */
  file_name: string | null;
  /** JSON: `DetectedFormat` and `decodedBytes`, the result of validating the source file. */
  detected_format: string;
  /** JSON: `ModelStats`. */
  stats: string | null;
  /** JSON: `ProcessingReport`. */
  report: string | null;
  /** JSON: `PosterPlaceholder`. */
  poster_placeholder: string | null;
  /** JSON: code and detail of the problem, for a revision that failed. */
  problem: string | null;
  created_at: string;
};

/** A row of `artifact`. Posters have a width and a height, in pixels. */
export type ArtifactRow = {
  revision_id: string;
  kind: string;
  /** Unique among the artifacts of a kind; 0 for kinds without levels. */
  level: number;
  /** `BlobRef` of the file. */
  blob: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  /** `BlobRef` of the same file compressed with Brotli, and its size. Null: it would not be smaller. */
  brotli_blob: string | null;
  brotli_size_bytes: number | null;
};

/** A row of `early_preview`. It is deleted when its revision is ready, failed or cancelled. */
export type EarlyPreviewRow = {
  revision_id: string;
  /** The SHA-256 of the file, as a `BlobRef`. No blob store has it. */
  blob: string;
  size_bytes: number;
  /** JSON: `ModelStats` of the preview itself. */
  stats: string;
  /** The file in Base64, because SQLite and PostgreSQL have no common type for bytes. At most 200 kB. */
  content: string;
};

/** A row of `job`. It is deleted when its revision is ready or failed. */
export type JobRow = {
  id: string;
  revision_id: string;
  /** How many times the job was started. */
  attempts: number;
  /** The earliest time of the next attempt. */
  due_at: string;
  /** Lease expiry. The job runner renews the lease; after it expires, another runner may take the job. */
  leased_until: string | null;
  /** The id of the node that claimed the job last. */
  node: string | null;
  created_at: string;
};

/** A row of `idempotency_key`: the response to the first request with that key. */
export type IdempotencyKeyRow = {
  key_hash: string;
  request_hash: string;
  status: number;
  location: string | null;
  etag: string | null;
  /** Encrypted: see http/idempotency-store.ts. */
  body: string;
  created_at: string;
};

/** A row of `change`: an event for the other processes that use a PostgreSQL database. Deleted after an hour. */
export type ChangeRow = {
  id: string;
  /** JSON: `ServiceEvent`. */
  payload: string;
  /** The transaction that has added the row. */
  transaction_id: number;
  created_at: string;
};

/** A row of `node`: a process of the service with a PostgreSQL database. */
export type NodeRow = {
  id: string;
  role: string;
  /** The version of the program. */
  version: string;
  /** Where the node stores files: all nodes must use the same place. */
  files: string;
  started_at: string;
  /** When it last reported that it runs. By the clock of the database. */
  seen_at: string;
};

/** A row of `retained_blob`: a node is storing the blob, so none may delete it. */
export type RetainedBlobRow = { id: string; blob: string; created_at: string };

/** A row of `blob_removal`: the file may be removed at any time from now on, so its name is not used for the same bytes again. */
export type BlobRemovalRow = { id: string; blob: string; generation: number; created_at: string };

/** A row of `embed_usage`: the views of a design, on one day, in the pages of one origin, with one token. */
export type EmbedUsageRow = {
  token_id: string;
  /** An origin, `unknown` or `other`. */
  origin: string;
  /** In UTC: `2026-05-04`. */
  day: string;
  /** The design may be deleted by now. */
  design_id: string;
  views: number;
  bytes: number;
  first_seen_at: string;
  last_seen_at: string;
};

/** A row of `backup`: a backup that is being made, so no blob may be deleted. It ends without renewal. */
export type BackupRow = { id: string; started_at: string; renewed_at: string };

/** A row of `upload`: a resumable upload. */
export type TusUploadRow = {
  id: string;
  user_id: string;
  /** The Upload-Length. Null while it is deferred. */
  size_bytes: number | null;
  /** How many bytes were received and acknowledged: the sum of the sizes of its segments. */
  offset_bytes: number;
  /** JSON: `UploadMetadata`. */
  parsed_metadata: string;
  /** JSON: the pairs of the header Upload-Metadata. Null: the request had none. */
  metadata: string | null;
  /** 1, or 0 if the file becomes a revision of an existing design. */
  creates_design: number;
  /** The hashed Idempotency-Key of the request that created it. */
  creation_key_hash: string | null;
  creation_request_hash: string | null;
  /** JSON: `InitialBytes`. */
  initial_bytes: string | null;
  /** JSON: `UploadResult`. Null until the upload is complete. */
  result: string | null;
  /** Incremented with each lease. Only the holder of the last one may change the offset. */
  attempt: number;
  /** The id of the node that had the last lease. */
  node: string | null;
  /** Lease expiry. Null: no request holds the upload. */
  leased_until: string | null;
  /** 1 if another request waits for the lease. */
  stop_requested: number;
  created_at: string;
  /** When the offset or the result was changed last. */
  changed_at: string;
};

/** A row of `upload_segment`: bytes of an upload that one request has received. */
export type SegmentRow = {
  upload_id: string;
  /** The offset of its first byte in the upload. */
  start_bytes: number;
  /** Its file may be longer: bytes after these were not acknowledged. */
  size_bytes: number;
  /** The name of its file or object. No two segments have the same. */
  name: string;
};

/** A row of `session`: a browser that is signed in on behalf of a token. */
export type SessionRow = {
  id: string;
  /** SHA-256 of the value of its cookie, hex. Unique. */
  hash: string;
  token_id: string;
  /** The browser and its system. */
  user_agent: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
};

/** A row of `sign_in_link`: a link that starts one session. Deleted when it is used. */
export type SignInLinkRow = {
  /** SHA-256 of its secret part, hex. */
  hash: string;
  token_id: string;
  expires_at: string;
};

/** A row of `lease`: a task that a process runs, and that no other one may run before the end of the lease. */
export type LeaseRow = { name: string; holder: string; ends_at: string };

/** A row of `completed_backup`: the last backup that was completed. There is one row at most. */
export type CompletedBackupRow = {
  id: string;
  finished_at: string;
  /** The version of the program. */
  version: string;
  designs: number;
  files: number;
  bytes: number;
};

/** A row of `metric_sample`: what a node did in one minute. Deleted after a day. */
export type MetricSampleRow = {
  taken_at: string;
  node: string;
  /** JSON: `StoredSample`. */
  sample: string;
};

/** A row of `upload_reservation`: what an upload in one request may store, while it is in progress. */
export type UploadReservationRow = {
  id: string;
  user_id: string;
  size_bytes: number;
  /** 1 if the upload creates a design, else 0. */
  designs: number;
  node: string;
  leased_until: string;
  /** The hash of the Idempotency-Key of the request, if it has one. */
  key_hash: string | null;
};
