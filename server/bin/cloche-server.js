#!/usr/bin/env node
// Starts the program with the Node that npm installed, whichever Node runs this file.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodePackage = createRequire(import.meta.url).resolve('node/package.json');
const node = join(nodePackage, '../bin/node');
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const child = spawn(node, ['--disable-sigusr1', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
});

for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// A terminal sends Ctrl+C to both processes: this one waits for the other.
process.on('SIGINT', () => {});
child.on('error', (error) => {
  console.error(`cloche-server: ${error.message}. Run "npm ci" in the sources.`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exitCode = code ?? 1;
  else process.kill(process.pid, signal);
});
