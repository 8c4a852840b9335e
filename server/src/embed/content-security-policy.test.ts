import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createContentSecurityPolicy,
  toFrameAncestorsDirective,
} from './content-security-policy.ts';

test('the policy has every directive once, with the origins and the hashes', () => {
  const policy = createContentSecurityPolicy(['https://shop.example'], {
    scriptHashes: ["'sha256-a'", "'sha256-b'"],
    styleHashes: ["'sha256-c'"],
  });
  assert.equal(
    policy,
    "frame-ancestors https://shop.example; default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-a' 'sha256-b'; worker-src blob: 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; style-src 'self' 'sha256-c'; base-uri 'none'; form-action 'none'",
  );
});

test('without origins, no page may frame the document', () => {
  assert.equal(toFrameAncestorsDirective([]), "frame-ancestors 'none'");
});

test('frame-ancestors has ports and wildcards', () => {
  const origins = ['https://shop.example:8443', 'https://*.x.example', 'http://localhost:*'];
  const directive =
    'frame-ancestors https://shop.example:8443 https://*.x.example http://localhost:*';
  assert.equal(toFrameAncestorsDirective(origins), directive);
});

test('a text that is not a canonical origin is an error', () => {
  const texts = [
    '*',
    'https:',
    'https://*',
    'https://*.com',
    'https://a.test;sandbox',
    'https://a.test,https://evil.test',
    "https://a.test 'self'",
    'https://a.test\r\nSet-Cookie: a=b',
    'https://a.test\n',
    'https://a.test/',
    'HTTPS://a.test',
    'https://bücher.test',
    'https://',
    'null',
    '',
  ];
  for (const text of texts) {
    assert.throws(() => toFrameAncestorsDirective([text]), { name: 'RangeError' }, text);
  }
});
