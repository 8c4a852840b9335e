/** Drops all privileges of a process and of those that it starts. */
export const DROP_CAPABILITIES = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];

/** Returns the flags that change the user and the group, and leave all other groups. */
export function toUserFlags(userId: number): string[] {
  return [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'];
}
