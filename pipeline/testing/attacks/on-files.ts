import { attack, SECRET, WRITE_LOOT } from './attack.ts';

const OVERWRITE_DATABASE = `
  const database = new DatabaseSync(target.database);
  database.exec("INSERT INTO token VALUES ('of the attacker')");
  database.close();`;
const COPY_ADDON = `
  const { cpSync, readdirSync } = await import('node:fs');
  const scope = target.modules + '/@img';
  for (const name of readdirSync(scope)) {
    if (name.startsWith('sharp-')) cpSync(scope + '/' + name, 'out/' + name, { recursive: true });
  }
  const name = 'out/sharp-' + process.platform + '-' + process.arch + '/lib/';
  const addon = process.cwd() + '/' + name + readdirSync(name).find((file) => file.endsWith('.node'));`;

export const ATTACKS_ON_FILES = [
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
