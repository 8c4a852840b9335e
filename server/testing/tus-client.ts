import { DefaultHttpStack, type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { TestServer } from './harness.ts';

/** The result of an upload with tus-js-client. */
export type TusClientResult = {
  url: string;
  /** The header Cloche-Design of the last response. */
  designUri: string | undefined;
  /** Method and response status of each request, in order. */
  exchanges: string[];
  /** The header Upload-Offset of the last PATCH. */
  lastOffset: number;
  error: DetailedError | undefined;
};

/** Uploads bytes with tus-js-client, to a server or to a proxy in front of it. */
export function uploadWithTusClient(
  { origin, token }: Pick<TestServer, 'origin' | 'token'>,
  bytes: Buffer,
  options: UploadOptions = {},
): Promise<TusClientResult> {
  const exchanges: string[] = [];
  let lastOffset = 0;
  const { promise, resolve } = Promise.withResolvers<TusClientResult>();
  const upload = new Upload(bytes, {
    endpoint: `${origin}/v1/uploads`,
    headers: { authorization: `Bearer ${token}` },
    httpStack: new DefaultHttpStack({ lookup: lookupLoopback }),
    retryDelays: [20, 50, 100, 200, 400, 800, 1600],
    onBeforeRequest: (request) => {
      if (request.getMethod() === 'PATCH') lastOffset = Number(request.getHeader('Upload-Offset'));
    },
    onAfterResponse: (request, response) => {
      exchanges.push(`${request.getMethod()} ${response.getStatus()}`);
    },
    onSuccess: ({ lastResponse }) => end(undefined, lastResponse.getHeader('cloche-design')),
    onError: (error) => end(error as DetailedError),
    ...options,
  });
  const end = (error: DetailedError | undefined, designUri?: string) =>
    resolve({ url: upload.url ?? '', designUri, exchanges, lastOffset, error });
  upload.start();
  return promise;
}

/** A `lookup` for node:http: resolves each name to 127.0.0.1. With `all`, the result is a list. */
function lookupLoopback(
  _name: string,
  { all }: { all?: boolean },
  callback: (...args: unknown[]) => void,
): void {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
}
