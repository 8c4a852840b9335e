import { keepTicksFast } from './http/ticks.ts';

// Before all else is loaded, for that ticks, and collects memory.
keepTicksFast();
await import('./serve.ts');
