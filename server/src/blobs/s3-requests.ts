import type { S3Client } from '@aws-sdk/client-s3';
import type { FinishedS3Request } from './s3-settings.ts';

/** Calls the listener after each request of a client. */
export function observeS3Requests(
  client: S3Client,
  onRequest: (request: FinishedS3Request) => void,
): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        const startMs = performance.now();
        let status: number | undefined;
        try {
          const result = await next(request);
          status = findStatus(result.output);
          return result;
        } catch (error) {
          status = findStatus(error);
          throw error;
        } finally {
          const operation = commandName.replace(/Command$/, '');
          onRequest({ operation, durationMs: performance.now() - startMs, status });
        }
      },
    { step: 'initialize', name: 'observeS3Requests' },
  );
}

/** The SDK adds it to outputs, and to errors that are responses. */
function findStatus(value: unknown): number | undefined {
  return (value as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
