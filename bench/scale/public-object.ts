import { ListObjectsV2Command, PutObjectAclCommand, S3Client } from '@aws-sdk/client-s3';
import type { RadosGateway } from '../../scripts/radosgw/radosgw.ts';

/** Lets everyone read the object of a bucket that has a certain length, and returns its URL. */
export async function publishObject(
  { endpoint, accessKeyId, secretAccessKey }: RadosGateway,
  bucket: string,
  sizeBytes: number,
): Promise<string> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const key = Contents.find(({ Size }) => Size === sizeBytes)?.Key;
  if (key === undefined) throw new Error(`No object of the bucket has ${sizeBytes} bytes.`);
  await client.send(new PutObjectAclCommand({ Bucket: bucket, Key: key, ACL: 'public-read' }));
  client.destroy();
  return `${endpoint}/${bucket}/${key}`;
}
