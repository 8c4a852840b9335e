import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';

/** The server compares this header with the bytes that it received. For https, the SDK would not send it. */
export function signSha256(command: PutObjectCommand | UploadPartCommand, sha256: string): void {
  type Headers = { headers: Record<string, string> };
  (command as PutObjectCommand).middlewareStack.add(
    (next) => (build) => {
      (build.request as Headers).headers['x-amz-content-sha256'] = sha256;
      return next(build);
    },
    { step: 'build', name: 'signSha256' },
  );
}
