import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicHost } from './public-host.ts';

const hostCases: [publicUrl: string, host: string, matches: boolean][] = [
  ['https://cloche.example', 'cloche.example', true],
  ['https://cloche.example', 'cloche.example:443', true],
  ['https://cloche.example', 'cloche.example:80', false],
  ['https://cloche.example', 'cloche.example:', false],
  ['https://cloche.example', 'cloche.example:0443', false],
  ['http://cloche.example', 'cloche.example:80', true],
  ['http://cloche.example', 'cloche.example:443', false],
  ['https://cloche.example:8443', 'cloche.example:443', false],
  ['http://localhost', 'localhost', true],
  ['http://localhost', '127.0.0.1', true],
  ['http://localhost', '127.0.0.1:80', true],
  ['http://localhost', '127.0.0.1:8080', false],
  ['https://[::1]', '[::1]:443', true],
  ['https://cloche.example', 'www.cloche.example', false],
  ['https://cloche.example', 'cloche.example.', false],
  ['https://cloche.example', 'localhost', false],
  ['https://cloche.example', '', false],
  ['https://cloche.example:8443', 'cloche.example:8443', true],
  ['https://cloche.example:8443', 'cloche.example', false],
  ['http://localhost:8787', 'localhost:8787', true],
  ['http://localhost:8787', '127.0.0.1:8787', true],
  ['http://localhost:8787', '127.1.2.3:8787', true],
  ['http://localhost:8787', '[::1]:8787', true],
  ['http://localhost:8787', 'cloche.localhost:8787', true],
  ['http://127.0.0.1:8787', 'localhost:8787', true],
  ['http://localhost:8787', 'localhost:8788', false],
  ['http://localhost:8787', 'localhost', false],
  ['http://localhost:8787', '127.0.0.1.evil.example:8787', false],
  ['http://localhost:8787', 'localhost.evil.example:8787', false],
  ['http://localhost:8787', 'evil.example:8787', false],
  ['http://localhost:8787', 'evil.example', false],
  ['http://localhost:8787', 'a@localhost:8787', false],
];

for (const [publicUrl, host, matches] of hostCases) {
  test(`${publicUrl} ${matches ? 'matches' : 'does not match'} the host "${host}"`, () => {
    assert.equal(new PublicHost(publicUrl).matchesHost(host), matches);
  });
}

const originCases: [publicUrl: string, origin: string, sameOrigin: boolean][] = [
  ['https://cloche.example', 'https://cloche.example', true],
  ['https://cloche.example', 'http://cloche.example', false],
  ['https://cloche.example', 'https://evil.example', false],
  ['https://cloche.example', 'null', false],
  ['http://localhost:8787', 'http://127.0.0.1:8787', true],
  ['http://localhost:8787', 'https://127.0.0.1:8787', false],
  ['http://localhost:8787', 'http://127.0.0.1:5173', false],
];

for (const [publicUrl, origin, sameOrigin] of originCases) {
  test(`${origin} is ${sameOrigin ? 'the same origin as' : 'another origin than'} ${publicUrl}`, () => {
    assert.equal(new PublicHost(publicUrl).isSameOrigin(origin), sameOrigin);
  });
}
