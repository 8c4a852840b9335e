import type { ModelStats } from '@cloche/contract/model-stats';

/** What a validation has found out about a model. */
export type ValidatedContent = {
  /**
   * The size of what the import and the optimization work on: geometry, pixels, nodes and texts, without
   * compression. An estimate; the time limit of the job grows with it.
   */
  decodedBytes: number;
  /** Only of glTF. Other formats are counted after their import. */
  stats?: ModelStats;
};
