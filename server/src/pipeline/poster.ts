import type { Look } from '@cloche/contract/framed';
import type { Stats } from '@cloche/contract/stats';

/** A picture of the first frame: WebP. */
export type Picture = {
  kind: 'poster' | 'poster-small';
  bytes: Uint8Array;
  width: number;
  height: number;
};

/** Takes the picture that visitors see before the model is there. */
export interface Poster {
  take(order: {
    /** A GLB of our own making. */
    model: string;
    stats: Stats;
    signal: AbortSignal;
  }): Promise<{ pictures: readonly Picture[]; look: Look }>;
}
