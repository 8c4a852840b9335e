import { randomBytes } from 'node:crypto';

/** Creates request ids: a random prefix for each process, then a number. */
export function createRequestIdGenerator(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
