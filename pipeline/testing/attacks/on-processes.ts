import { attack } from './attack.ts';

export const ATTACKS_ON_PROCESSES = [
  attack('process.kill', 'service killed', `process.kill(process.ppid, 'SIGKILL');`),
  attack('process._kill', 'service killed', 'process._kill(process.ppid, 9);'),
  attack(
    'kill, imported by name',
    'service killed',
    `const { kill } = await import('node:process'); kill(process.ppid, 'SIGKILL');`,
  ),
  attack(
    'kill by a shell',
    'service killed',
    `const { execSync } = await import('node:child_process'); execSync('kill -9 ' + process.ppid);`,
  ),
  attack(
    'kill in a thread',
    'service killed',
    `const { Worker } = await import('node:worker_threads');
    const thread = new Worker('process.kill(' + process.ppid + ', "SIGKILL")', { eval: true });
    await new Promise((resolve) => thread.on('exit', resolve).on('error', resolve));`,
  ),
  attack(
    'process.execve',
    'service killed',
    `process.execve('/bin/sh', ['sh', '-c', 'kill -9 ' + process.ppid], {});`,
  ),
  attack(
    'a process in a session of its own',
    'process left behind',
    `const { spawn } = await import('node:child_process');
    const script = 'setTimeout(() => {}, 20_000)';
    const options = { detached: true, stdio: 'ignore' };
    spawn(process.execPath, ['--eval', script, target.leftBehind], options).unref();`,
  ),
  attack('SIGUSR1', 'inspector opened', `process.kill(process.ppid, 'SIGUSR1');`),
  attack('_debugProcess', 'inspector opened', 'process._debugProcess(process.ppid);'),
  attack(
    'inspector.open',
    'inspector opened',
    `const inspector = await import('node:inspector'); inspector.open(0, '127.0.0.1');`,
  ),
  attack(
    'os.setPriority',
    'service slowed down',
    `const { setPriority } = await import('node:os'); setPriority(process.ppid, 19);`,
  ),
];
