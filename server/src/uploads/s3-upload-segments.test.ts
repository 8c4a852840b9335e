import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { skipWithout } from '../../../scripts/optional-programs.ts';
import { useS3Server } from '../../testing/s3-server.ts';
import { S3UploadSegments } from './s3-upload-segments.ts';
import { uploadSegmentsContract } from './upload-segments.contract.ts';

describe('S3UploadSegments', { skip: skipWithout('radosgw') }, () => {
  const s3 = useS3Server();

  uploadSegmentsContract('S3UploadSegments', async (t) => {
    const segments = new S3UploadSegments({ ...s3.settings, prefix: `${randomUUID()}/` });
    t.after(() => segments[Symbol.dispose]());
    return segments;
  });
});
