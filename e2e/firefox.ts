import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import puppeteer, { type Browser } from 'puppeteer-core';
import { findProgram } from '../scripts/optional-programs.ts';
import { stopProcess } from '../scripts/service-process.ts';

/** A new profile on a busy machine. */
const TIMEOUT_MS = 180_000;

/**
 * Starts the Firefox that is installed on this machine. Ends with the test.
 *
 * @param hostnames the host names that resolve to this machine
 * @param preferences additional preferences of Firefox
 */
export async function openFirefox(
  t: TestContext,
  hostnames: Iterable<string>,
  preferences: Record<string, unknown> = {},
): Promise<Browser> {
  const display = await openDisplay(t);
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: findProgram('firefox-esr') ?? '',
    acceptInsecureCerts: true,
    timeout: TIMEOUT_MS,
    protocolTimeout: TIMEOUT_MS,
    env: { ...process.env, DISPLAY: display },
    extraPrefsFirefox: { 'network.dns.localDomains': [...hostnames].join(','), ...preferences },
  });
  t.after(() => browser.close());
  return browser;
}

/** Starts an X server without a screen, because a Firefox without one has no WebGL. Returns its name. */
export async function openDisplay(t: TestContext): Promise<string> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  t.after(() => stopProcess(child, 'SIGTERM'));
  const [line] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer];
  return `:${line.toString().trim()}`;
}
