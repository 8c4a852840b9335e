import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { RadosGateway } from './radosgw.ts';

/** Creates a bucket, and returns the settings of a service that stores its files there. */
export async function createBucket(
  { endpoint, accessKeyId, secretAccessKey }: RadosGateway,
  bucket: string,
): Promise<Record<string, string>> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    CLOCHE_S3_URL: `${endpoint}/${bucket}`,
    CLOCHE_S3_KEY: accessKeyId,
    CLOCHE_S3_SECRET: secretAccessKey,
  };
}
