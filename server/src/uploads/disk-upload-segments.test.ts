import { join } from 'node:path';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { DiskUploadSegments } from './disk-upload-segments.ts';
import { uploadSegmentsContract } from './upload-segments.contract.ts';

uploadSegmentsContract('DiskUploadSegments', async (t) =>
  DiskUploadSegments.open(join(await openTemporaryDirectory(t), 'uploads')),
);
