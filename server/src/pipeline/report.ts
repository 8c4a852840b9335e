import type { Stats } from '@cloche/contract/stats';
import type { Format } from './format.ts';

/** The steps of making a design fit for the web, in their order. Reports keep these names. */
export const STEPS = [
  'read',
  'clean',
  'geometry',
  'textures',
  'preview',
  'write',
  'check',
  'poster',
] as const;
export type Step = (typeof STEPS)[number];

/** What a format could not carry, or a library did not read: for the owner to know. */
export type Warning = { code: string; message: string };

/** What a model is made of: of the upload once it is read, or of what we made of it. */
export type Facts = Omit<Stats, 'bounds' | 'extensions'>;

/** What was done to a model. */
export type Report = {
  format: Format;
  before: Facts;
  after: Facts;
  previewBytes?: number;
  steps: { name: Step; ms: number }[];
  warnings: Warning[];
};

/** Tells how far a step is: `percent` of the whole job, 0 to 100. */
export type Tell = (step: Step, percent: number) => void;
