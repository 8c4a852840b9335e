/** The content of the secret file, and of an environment variable of the service. */
export const SECRET = 'the-secret-of-the-service';

/** Where an attack writes what it has read, relative to the job directory. */
export const LOOT = 'out/loot.json';

/** The file that shows that an attack has started in an isolated worker. */
export const STARTED = 'out/started.json';
/** Sends STARTED as a result, if there is a pipe for results. */
export const MARK_START = `
  try { (await import('node:fs')).writeSync(4, 'started.json 2\\n{}'); } catch {}`;

/** What an attack achieves when nothing prevents it. */
export type AttackEffect =
  | 'database changed'
  | 'service killed'
  | 'service slowed down'
  | 'process left behind'
  | 'inspector opened'
  | 'network reached'
  | 'file written'
  | 'disk filled'
  | 'secret read';

/** JavaScript that runs in the worker, as if a library were exploited. It can use `target`. */
export type WorkerAttack = { name: string; effect: AttackEffect; script: string };

export const attack = (name: string, effect: AttackEffect, script: string): WorkerAttack => ({
  name,
  effect,
  script,
});

/**
 * Writes `loot`. An attack that reads no secret has SECRET as its loot if it has succeeded. A worker cannot write files,
 * but it can send them as results. Without restrictions, it has no pipe for results.
 */
export const WRITE_LOOT = `
  const { writeFileSync, writeSync } = await import('node:fs');
  const content = String(loot).slice(0, 10_000);
  try {
    writeSync(4, 'loot.json ' + Buffer.byteLength(content) + '\\n' + content);
  } catch {
    writeFileSync('${LOOT}', content);
  }`;
