import { test } from 'node:test';
import { openChromiumEngine } from './chromium-engine.ts';
import { testGate } from './test-gate.ts';

/** The groups of cases that each test file runs in Chromium. All together would exceed the time limit of a file. */
const CHROMIUM_GROUPS = {
  framing: ['Framing', 'Sandbox', 'Pop-ups', 'Nesting'],
  navigation: [
    'Navigation of a frame',
    'Redirects',
    'Navigation of the page',
    'Caching',
    'Changes while a page is open',
    'Tokens and designs',
  ],
  origins: [
    'Hosts and ports',
    'http and https',
    'Localhost',
    'Addresses of the service',
    'Referrer policies',
  ],
  requests: [
    'Requests',
    'Requests in advance',
    'Files with a stolen grant',
    'Shared designs',
    'Preview links',
  ],
} as const;

/** All groups that run in Chromium. */
export const GROUPS_IN_CHROMIUM: readonly string[] = Object.values(CHROMIUM_GROUPS).flat();

/** Declares the test of some groups in Chromium. */
export function testInChromium(name: keyof typeof CHROMIUM_GROUPS): void {
  test(`the gate in Chromium: ${name}`, (t) =>
    testGate(t, (t, { certificate }) => openChromiumEngine(t, certificate), CHROMIUM_GROUPS[name]));
}
