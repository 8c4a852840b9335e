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

const attack = (name: string, effect: AttackEffect, script: string): WorkerAttack => ({
  name,
  effect,
  script,
});

const OVERWRITE_DATABASE = `
  const database = new DatabaseSync(target.database);
  database.exec("INSERT INTO token VALUES ('of the attacker')");
  database.close();`;
const SEND_UDP = `
  const socket = dgram.createSocket('udp4');
  await new Promise((resolve) => socket.send('x', target.udpPort, '127.0.0.1', resolve));`;
const COPY_ADDON = `
  const { cpSync, readdirSync } = await import('node:fs');
  const scope = target.modules + '/@img';
  for (const name of readdirSync(scope)) {
    if (name.startsWith('sharp-')) cpSync(scope + '/' + name, 'out/' + name, { recursive: true });
  }
  const name = 'out/sharp-' + process.platform + '-' + process.arch + '/lib/';
  const addon = process.cwd() + '/' + name + readdirSync(name).find((file) => file.endsWith('.node'));`;
/** A worker cannot write files, but it can send them as results. Without restrictions, it has no pipe for results. */
const WRITE_LOOT = `
  const { writeFileSync, writeSync } = await import('node:fs');
  const content = String(loot).slice(0, 10_000);
  try {
    writeSync(4, 'loot.json ' + Buffer.byteLength(content) + '\\n' + content);
  } catch {
    writeFileSync('${LOOT}', content);
  }`;

const ATTACKS_ON_THE_SYSTEM = [
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
  attack(
    '300 processes',
    'secret read',
    `const { execSync } = await import('node:child_process');
    const script = 'i=0; while [ $i -lt 300 ]; do sleep 3 >/dev/null 2>&1 & i=$((i + 1)); done; echo $((i + 1000))';
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

const ATTACKS_ON_PROCESSES = [
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
    new Worker('process.kill(' + process.ppid + ', "SIGKILL")', { eval: true });
    await new Promise((resolve) => setTimeout(resolve, 500));`,
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

const ATTACKS_ON_FILES = [
  attack(
    'node:sqlite',
    'database changed',
    `const { DatabaseSync } = await import('node:sqlite'); ${OVERWRITE_DATABASE}`,
  ),
  attack(
    'node:sqlite by getBuiltinModule',
    'database changed',
    `const { DatabaseSync } = process.getBuiltinModule('node:sqlite'); ${OVERWRITE_DATABASE}`,
  ),
  attack(
    'write with fs',
    'file written',
    `const { writeFileSync } = await import('node:fs'); writeFileSync(target.directory + '/new', 'x');`,
  ),
  attack(
    'write with sharp',
    'file written',
    `const { default: sharp } = await import(target.sharp);
    const create = { width: 1, height: 1, channels: 3, background: 'red' };
    await sharp({ create }).toFile(target.directory + '/new.png');`,
  ),
  attack(
    'write with sharp after unblock()',
    'file written',
    `const { default: sharp } = await import(target.sharp);
    sharp.unblock({ operation: ['VipsForeignSave'] });
    const create = { width: 1, height: 1, channels: 3, background: 'red' };
    await sharp({ create }).toFile(target.directory + '/new.v');`,
  ),
  attack(
    "write by V8's flags",
    'file written',
    `const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--trace-turbo-path=' + target.directory + '/');
    setFlagsFromString('--trace-turbo');
    let sum = 0;
    const add = (value) => { sum += value; };
    for (let count = 0; count < 1e7; count++) add(count);`,
  ),
  attack(
    'read with fs',
    'secret read',
    `const { readFileSync } = await import('node:fs'); const loot = readFileSync(target.secretFile); ${WRITE_LOOT}`,
  ),
  attack(
    'read with sharp',
    'secret read',
    `const { default: sharp } = await import(target.sharp);
    const [red, green, blue] = await sharp(target.secretImage).raw().toBuffer();
    const loot = red === 0x5e && green === 0xc2 && blue === 0xe7 ? '${SECRET}' : ''; ${WRITE_LOOT}`,
  ),
  attack(
    'read /proc of the service',
    'secret read',
    `const { readFileSync } = await import('node:fs');
    const loot = readFileSync('/proc/' + process.ppid + '/environ'); ${WRITE_LOOT}`,
  ),
  attack(
    'read the environment',
    'secret read',
    `const loot = JSON.stringify(process.env); ${WRITE_LOOT}`,
  ),
  attack(
    'read inherited file descriptors',
    'secret read',
    `const { fstatSync, readSync } = await import('node:fs');
    let loot = '';
    for (let descriptor = 3; descriptor < 256; descriptor++) {
      try {
        if (!fstatSync(descriptor).isFile()) continue;
        const bytes = Buffer.alloc(1000);
        loot += bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, 1000, 0));
      } catch {}
    }
    ${WRITE_LOOT}`,
  ),
  attack(
    'read the memory of the service',
    'secret read',
    `const { openSync, readFileSync, readSync } = await import('node:fs');
    const memory = '/proc/' + process.ppid + '/';
    const file = openSync(memory + 'mem', 'r');
    let loot = '';
    for (const line of readFileSync(memory + 'maps', 'utf8').split('\\n')) {
      const [, start, end] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (start === undefined) continue;
      const length = Math.min(parseInt(end, 16) - parseInt(start, 16), 1 << 26);
      const bytes = Buffer.alloc(length);
      try { readSync(file, bytes, 0, length, BigInt('0x' + start)); } catch { continue; }
      if (bytes.includes('${SECRET}')) loot = '${SECRET}';
    }
    ${WRITE_LOOT}`,
  ),
  attack(
    'read the folder of the service',
    'secret read',
    `const { readdirSync, readFileSync } = await import('node:fs');
    let loot = '';
    for (const name of readdirSync(target.directory)) loot += readFileSync(target.directory + '/' + name, 'latin1');
    ${WRITE_LOOT}`,
  ),
  attack(
    'an addon in the out directory',
    'secret read',
    `${COPY_ADDON}
    const addonModule = { exports: {} };
    process.dlopen(addonModule, addon);
    const loot = 'pipeline' in addonModule.exports && '${SECRET}'; ${WRITE_LOOT}`,
  ),
  attack(
    'require() of an addon in the out directory',
    'secret read',
    `${COPY_ADDON}
    const { createRequire } = await import('node:module');
    const loot = 'pipeline' in createRequire(addon)(addon) && '${SECRET}'; ${WRITE_LOOT}`,
  ),
];

const ATTACKS_ON_THE_NETWORK = [
  attack(
    'net.connect',
    'network reached',
    `const { connect } = await import('node:net'); connect(target.tcpPort, '127.0.0.1');`,
  ),
  attack(
    'a Unix socket',
    'network reached',
    `const { connect } = await import('node:net'); connect(target.unixSocket);`,
  ),
  attack(
    'the class of standard output',
    'network reached',
    `new process.stdout.constructor().connect(target.tcpPort, '127.0.0.1');`,
  ),
  attack(
    'fetch',
    'network reached',
    `fetch('http://127.0.0.1:' + target.tcpPort).catch(() => {});`,
  ),
  attack(
    'WebSocket',
    'network reached',
    `new WebSocket('ws://127.0.0.1:' + target.tcpPort).onerror = () => {};`,
  ),
  attack(
    'http.get',
    'network reached',
    `const { get } = await import('node:http'); get('http://127.0.0.1:' + target.tcpPort).on('error', () => {});`,
  ),
  attack(
    'tls.connect',
    'network reached',
    `const { connect } = await import('node:tls'); connect(target.tcpPort, '127.0.0.1').on('error', () => {});`,
  ),
  attack('dgram', 'network reached', `const dgram = await import('node:dgram'); ${SEND_UDP}`),
  attack(
    'dgram by require()',
    'network reached',
    `const { createRequire } = await import('node:module');
    const dgram = createRequire(import.meta.url)('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by Module._load',
    'network reached',
    `const { Module } = await import('node:module');
    const dgram = Module._load('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by getBuiltinModule',
    'network reached',
    `const dgram = process.getBuiltinModule('dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dgram by a module hook',
    'network reached',
    `const { registerHooks } = await import('node:module');
    registerHooks({ resolve: () => ({ url: 'node:dgram', format: 'builtin', shortCircuit: true }) });
    const name = 'any'; const dgram = await import(name); ${SEND_UDP}`,
  ),
  attack(
    'dgram after prototypes were replaced',
    'network reached',
    `const { startsWith } = String.prototype;
    Array.prototype.includes = Set.prototype.has = Map.prototype.has = () => true;
    Object.prototype.dgram = true;
    String.prototype.startsWith = function (text) { return text !== 'node:' && startsWith.call(this, text); };
    const dgram = await import('node:dgram'); ${SEND_UDP}`,
  ),
  attack(
    'dns',
    'network reached',
    `const { Resolver } = await import('node:dns');
    const resolver = new Resolver({ tries: 1, timeout: 200 });
    resolver.setServers(['127.0.0.1:' + target.udpPort]);
    await new Promise((resolve) => resolver.resolve4('the-secret.example', resolve));`,
  ),
];

/** Each attack succeeds in a process without restrictions. */
export const WORKER_ATTACKS: readonly WorkerAttack[] = [
  ...ATTACKS_ON_PROCESSES,
  ...ATTACKS_ON_FILES,
  ...ATTACKS_ON_THE_NETWORK,
  ...ATTACKS_ON_THE_SYSTEM,
];
