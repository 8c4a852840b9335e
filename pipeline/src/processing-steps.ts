/** Names of the processing steps, in the order in which they begin. Reports use these names. */
export const PROCESSING_STEPS = [
  'read',
  'clean',
  'geometry',
  'preview',
  'shadow',
  'textures',
  'write',
  'validate',
  'poster',
  'compress',
] as const;
/** Name of a processing step. */
export type StepName = (typeof PROCESSING_STEPS)[number];

/** Called when a step advances. `percent` is the progress of the whole job, 0 to 100. */
export type ProgressListener = (step: StepName, percent: number) => void;
