import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const MODULE = join(import.meta.dirname, 'find-free-port.ts');
/** Finds many ports, prints them, and ends when its input does. */
const FIND_MANY = `
  const { findFreePort } = await import(${JSON.stringify(MODULE)});
  const ports = await Promise.all(Array.from({ length: 300 }, findFreePort));
  console.log(ports.join(' '));
  for await (const _ of process.stdin);`;

test('processes that run at the same time find different ports', {
  timeout: 120_000,
}, async (t) => {
  const children = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', FIND_MANY], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => child.kill());
    return child;
  });
  const lines = children.map(
    async ({ stdout }) => (await once(createInterface(stdout), 'line'))[0],
  );
  const ports = (await Promise.all(lines)).flatMap((line: string) => line.split(' '));
  const exits = children.map((child) => once(child, 'exit'));
  for (const { stdin } of children) stdin.end();
  await Promise.all(exits);
  assert.equal(new Set(ports).size, 900);
});
