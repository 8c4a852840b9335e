import { attack, SECRET, WRITE_LOOT } from './attack.ts';

export const ATTACKS_ON_THE_SYSTEM = [
  attack(
    'read /etc/passwd',
    'secret read',
    `const { readFileSync } = await import('node:fs');
    const loot = readFileSync('/etc/passwd', 'utf8').includes('root') && '${SECRET}'; ${WRITE_LOOT}`,
  ),
  attack(
    'read /proc/PID/cmdline',
    'secret read',
    `const { readFileSync } = await import('node:fs');
    const loot = readFileSync('/proc/' + target.observerPid + '/cmdline').length > 0 && '${SECRET}'; ${WRITE_LOOT}`,
  ),
  attack(
    'a shell',
    'secret read',
    `const { execSync } = await import('node:child_process');
    const loot = execSync('echo $((6 * 7))').includes('42') && '${SECRET}'; ${WRITE_LOOT}`,
  ),
  // None of them may end before the last one starts, or they would not all run at the same time: a worker has 60 s.
  attack(
    '300 processes',
    'secret read',
    `const { execSync } = await import('node:child_process');
    const script = 'i=0; while [ $i -lt 300 ]; do sleep 60 >/dev/null 2>&1 & i=$((i + 1)); done; echo $((i + 1000))';
    const loot = execSync(script).includes('1300') && '${SECRET}'; ${WRITE_LOOT}`,
  ),
  attack(
    'create a file in a directory of all users',
    'file written',
    `const { writeFileSync } = await import('node:fs'); writeFileSync(target.sharedDirectory + '/new', '');`,
  ),
  attack(
    'write to a file of all users',
    'disk filled',
    `const { appendFileSync } = await import('node:fs'); appendFileSync(target.sharedFile, 'x'.repeat(1_000_000));`,
  ),
  attack(
    'a Unix socket of all users',
    'network reached',
    `const { connect } = await import('node:net'); connect(target.sharedSocket);`,
  ),
  attack(
    'delete the database',
    'database changed',
    `const { rmSync } = await import('node:fs'); rmSync(target.database);`,
  ),
];
