/**
 * Number of rounds of the randomized tests. More rounds find rarer errors:
 * `CLOCHE_ROUNDS=20 npx node --test e2e/crash-jobs.test.ts`
 */
export const ROUNDS = Number(process.env.CLOCHE_ROUNDS ?? 2);

/** Whether to run the cases that take too long for the test suite. */
export const THOROUGH = ROUNDS > 2;
