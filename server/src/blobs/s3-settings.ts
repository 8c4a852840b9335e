/** A request to an S3 server that has ended. Each attempt is one. */
export type FinishedS3Request = {
  /** Such as `GetObject`. */
  operation: string;
  /** Until the headers of the response. */
  durationMs: number;
  /** The status of the response. Undefined: there was none. */
  status: number | undefined;
};

/** Where the blobs are stored, and the key that may read and write there. */
export type S3Settings = {
  /** The origin of the server. */
  endpoint: string;
  bucket: string;
  /** Empty, or it ends with a slash. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Called after each request. */
  onRequest?: ((request: FinishedS3Request) => void) | undefined;
};

/** The bucket cannot be used. The message names the setting and the correction. */
export class S3AccessError extends Error {
  override readonly name = 'S3AccessError';
}

/** Parses `https://endpoint/bucket[/prefix]`. Returns undefined if the text has another form. */
export function parseS3Url(
  text: string,
): Pick<S3Settings, 'endpoint' | 'bucket' | 'prefix'> | undefined {
  const url = URL.parse(text);
  const [, bucket = '', ...folders] = text.replace(/^https?:\/\/[^/]*/, '').split('/');
  // One slash at the end is allowed.
  if (folders.at(-1) === '') folders.pop();
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) return undefined;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return undefined;
  if (!folders.every((folder) => /^(?!\.+$)[\w.!*'()-]+$/.test(folder))) return undefined;
  return { endpoint: url.origin, bucket, prefix: folders.map((folder) => `${folder}/`).join('') };
}
