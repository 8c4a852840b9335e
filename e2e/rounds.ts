/**
 * How often what is left to chance is tried. The suite has minutes; by hand there is time:
 * `CLOCHE_ROUNDS=20 npx node --test e2e/crash-jobs.test.ts`
 */
export const ROUNDS = Number(process.env.CLOCHE_ROUNDS ?? 3);

/** Whether somebody asked for more than the suite has time for. */
export const THOROUGH = ROUNDS > 3;
