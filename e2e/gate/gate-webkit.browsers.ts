import { test } from 'node:test';
import { skipWithout } from '../../scripts/optional-programs.ts';
import { testGate } from './test-gate.ts';
import { openWebKitEngine } from './webkit-engine.ts';

test('the gate in WebKit', { skip: skipWithout('WebKitWebDriver', 'Xvfb', 'bwrap') }, (t) =>
  testGate(t, (t) => openWebKitEngine(t)),
);
