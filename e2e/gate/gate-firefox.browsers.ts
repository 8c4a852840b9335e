import { test } from 'node:test';
import { skipWithout } from '../../scripts/optional-programs.ts';
import { openFirefoxEngine } from './firefox-engine.ts';
import { testGate } from './test-gate.ts';

test('the gate in Firefox', { skip: skipWithout('firefox-esr', 'Xvfb') }, (t) =>
  testGate(t, (t) => openFirefoxEngine(t)),
);
