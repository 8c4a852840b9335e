import type { ProcessingReport } from '@cloche/contract/design';
import { ZERO_COUNTS } from '../../server/testing/fake-processing.ts';

const STEPS = [
  ['read', 1250],
  ['repair', 8],
  ['merge', 320],
  ['simplify', 5000],
  ['textures', 12_400],
  ['shadow', 940],
  ['compress', 2600],
  ['write', 31],
] as const;

/** A report with all that it can have, and ten warnings. */
export const FULL_REPORT: ProcessingReport = {
  format: 'fbx',
  before: { ...ZERO_COUNTS, bytes: 184_000_000, triangles: 2_400_000 },
  after: {
    ...{ ...ZERO_COUNTS, bytes: 9_200_000, triangles: 600_000 },
    ...{ materials: 14, textures: 22, animations: 2, variants: 3 },
  },
  previewBytes: 46_000,
  levels: {
    geometries: [
      { triangles: 150_000, maxSize: 420, bytes: 900_000 },
      { triangles: 300_000, maxSize: 950, bytes: 1_800_000 },
      { triangles: 600_000, bytes: 3_600_000 },
    ],
    textures: [
      { size: 512, bytes: 450_000 },
      { size: 1024, bytes: 1_500_000 },
      { size: 2048, bytes: 5_400_000 },
    ],
  },
  steps: STEPS.map(([name, durationMs]) => ({ name, durationMs })),
  warnings: Array.from({ length: 10 }, (_, index) => ({
    code: 'import.texture-missing',
    message: `The texture "textures/${'oak-'.repeat(index)}wood.png" was not uploaded.`,
  })),
};
