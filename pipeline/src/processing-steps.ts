/** Names of the processing steps, in order. Reports use these names. */
export const PROCESSING_STEPS = [
  'read',
  'clean',
  'geometry',
  'textures',
  'preview',
  'shadow',
  'write',
  'validate',
  'poster',
  'compress',
] as const;
/** Name of a processing step. */
export type StepName = (typeof PROCESSING_STEPS)[number];

/** Called when a step advances. `percent` is the progress of the whole job, 0 to 100. */
export type ProgressListener = (step: StepName, percent: number) => void;
