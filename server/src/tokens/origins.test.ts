import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOrigin } from '@cloche/contract/origin-parser';
import { toOriginParts } from '@cloche/contract/origin-parts';
import { Problem } from '@cloche/contract/problem';
import vectors from '../../../contract/testing/origin-vectors.json' with { type: 'json' };
import { domainRules, findUncoveredOrigin, MAX_ORIGINS, parseOrigins } from './origins.ts';

const CANONICAL = /^https?:\/\/(\*\.)?[a-z0-9.-]+(:(\d+|\*))?$/;

function originErrorOf(text: unknown): Problem {
  try {
    parseOrigin(text, domainRules);
  } catch (problem) {
    assert.ok(problem instanceof Problem && problem.code === 'origin.invalid', String(problem));
    return problem;
  }
  assert.fail(`accepted: ${JSON.stringify(text)}`);
}

test('parseOrigin: test vectors', async (t) => {
  assert.ok(vectors.parse.length > 0);
  for (const { input, expect, origin, reason } of vectors.parse) {
    await t.test(`${expect}: ${JSON.stringify(input)?.slice(0, 60)}`, () => {
      if (expect === 'accept') return assert.equal(parseOrigin(input, domainRules), origin);
      assert.equal(originErrorOf(input).reason, reason);
    });
  }
});

const acceptedOrigins: [text: string, origin: string][] = [
  ['https://1.2.3.4:8443', 'https://1.2.3.4:8443'],
  ['https://intranet', 'https://intranet'],
  ['https://-a.shop.example', 'https://-a.shop.example'],
  ['https://faß.example', 'https://xn--fa-hia.example'],
  ['https://shop.ΣΑΣ', 'https://shop.xn--mxa9ab'],
  ['https://*.bücher.example', 'https://*.xn--bcher-kva.example'],
  ['https://*.shop.example:8443', 'https://*.shop.example:8443'],
  ['https://*.user.github.io', 'https://*.user.github.io'],
  ['https://*.bucket.s3.amazonaws.com', 'https://*.bucket.s3.amazonaws.com'],
  ['https://localhost:*', 'https://localhost:*'],
  ['http://127.9.0.1:*', 'http://127.9.0.1:*'],
  ['http://*.app.localhost:*', 'http://*.app.localhost:*'],
  ['HTTPS://XN--BCHER-KVA.example', 'https://xn--bcher-kva.example'],
];

test('parseOrigin: more accepted origins', async (t) => {
  for (const [text, origin] of acceptedOrigins) {
    await t.test(text, () => assert.equal(parseOrigin(text, domainRules), origin));
  }
});

const rejectedOrigins: [text: unknown, reason: string][] = [
  ['*', 'missing-scheme'],
  ['https://*', 'wildcard-must-be-a-left-label'],
  ['https://*:443', 'wildcard-must-be-a-left-label'],
  ['https://**.shop.example', 'wildcard-must-be-a-left-label'],
  ['https://*shop.example', 'wildcard-must-be-a-left-label'],
  ['https://*.', 'trailing-dot'],
  ['https://*..shop.example', 'empty-label'],
  ['https://*.github.io', 'public-suffix'],
  ['https://*.amazonaws.com', 'public-suffix'],
  ['https://*.eu-west-1.amazonaws.com', 'public-suffix'],
  ['https://*.core.windows.net', 'public-suffix'],
  ['https://*.xn--p1ai', 'public-suffix'],
  ['https://*.рф', 'public-suffix'],
  ['https://*.localhost', 'public-suffix'],
  ['https://*.x.localhost.', 'trailing-dot'],
  ['https://*.127.0.0.1', 'wildcard-needs-a-name'],
  ['https://*.1.2.3', 'wildcard-needs-a-name'],
  ['http://localhost.shop.example:*', 'wildcard-port-needs-loopback'],
  ['http://xlocalhost:*', 'wildcard-port-needs-loopback'],
  ['http://128.0.0.1:*', 'wildcard-port-needs-loopback'],
  ['https://my_shop.example', 'forbidden-character'],
  ["https://a'b.example", 'forbidden-character'],
  ['https://shop.example;script-src', 'forbidden-character'],
  ['http://[::1]', 'ipv6-not-supported'],
  ['http://[::1]:3000', 'ipv6-not-supported'],
  ['http://01.2.3.4', 'non-canonical-ipv4'],
  ['http://shop.0x', 'non-canonical-ipv4'],
  ['http://1.2.3.4.5', 'non-canonical-ipv4'],
  ['http://１２７.0.0.1', 'idn-not-canonical'],
  ['https://日本。example', 'idn-not-canonical'],
  ['https://bu\u0308cher.example', 'idn-not-canonical'],
  ['https://xn--bcher-kva.bücher.example', 'idn-not-canonical'],
  ['https://xn--a.example', 'bad-idn'],
  ['https://xn--.example', 'bad-idn'],
  ['https://xn---ubv.example', 'bad-idn'],
  ['https://a＿b.example', 'bad-idn'],
  ['https://xn--shop-.example', 'bad-idn'],
  ['https://a\u2100b.example', 'bad-idn'],
  ['https://a\ud800.example', 'bad-idn'],
  ['https://shop.example／evil', 'bad-idn'],
  ['https://shop.example：443', 'bad-idn'],
  ['https://shop.example\u00a0', 'whitespace-or-control'],
  ['https://shop.example\u2028', 'whitespace-or-control'],
  ['https://shop.example:', 'bad-port'],
  ['https://shop.example:+1', 'bad-port'],
  ['https://shop.example:1e3', 'bad-port'],
  ['https://shop.example:99999', 'bad-port'],
  ['https://shop.example:**', 'bad-port'],
  ['localhost:3000', 'missing-scheme'],
  ['shop.example:8443/x', 'missing-scheme'],
  ['http:8080', 'missing-authority'],
  ['javascript:alert(1)', 'missing-authority'],
  ['data:text/html,x', 'missing-authority'],
  ['https\\://shop.example', 'missing-scheme'],
  [`https://${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}`, 'too-long'],
  [`https://shop.example/${'a'.repeat(5000)}`, 'too-long'],
  [7, 'not-a-string'],
  [undefined, 'not-a-string'],
];

test('parseOrigin: more rejected origins', async (t) => {
  for (const [text, reason] of rejectedOrigins) {
    await t.test(`${reason}: ${String(text).slice(0, 60)}`, () => {
      assert.equal(originErrorOf(text).reason, reason);
    });
  }
});

const corrections: [text: string, correction: string][] = [
  ['https://shop.example/chairs', 'Write "https://shop.example" without the path.'],
  ['HTTPS://Shop.example:443/', 'Write "https://shop.example" without it.'],
  ['shop.example', 'Write "https://shop.example".'],
  ['//shop.example', 'Write "https://shop.example".'],
  ['localhost:3000', 'Write "https://localhost:3000".'],
  ['https://me:pw@shop.example', 'Write "https://shop.example".'],
  ['https://ｓｈｏｐ.example', 'Browsers read the host "ｓｈｏｐ.example" as "shop.example"'],
  ['https://*.co.uk', '"https://your-name.co.uk"'],
];

test('the problem suggests a correction', async (t) => {
  for (const [text, correction] of corrections) {
    await t.test(text, () => {
      const { message } = originErrorOf(text);
      assert.ok(message.includes(correction), message);
    });
  }
});

test('the problem quotes only the start of untrusted text, without control characters', () => {
  for (const text of [`\u001b[2J\r\n\u202e${'a'.repeat(5000)}`, '\u202eshop\ud800', '\u0000']) {
    const { message } = originErrorOf(text);
    assert.ok(message.length < 400, message);
    assert.ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(message), JSON.stringify(message));
  }
});

/** A seeded random number generator (mulberry32), so that a failure can be reproduced. */
function createSeededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test('random text is rejected with a reason, or parsed to a canonical origin', () => {
  const random = createSeededRandom(20261121);
  const pieces =
    'http|https|HTTPS|://|://|://|:|//|/|*.|*|:*|.|..|@|?|#|\\|;|,|"|\'|%2e|[::1]|shop|example|Shop|localhost|127.0.0.1|0x7f|1|80|443|65536|xn--bcher-kva|xn--|bücher|ß|ｓ|­|\u200d|。|😀|\ud800|_|-|~|!|$|(|{| |\t|\n|\0|co.uk|github.io|com|null|blob:'.split(
      '|',
    );
  let accepted = 0;
  for (let round = 0; round < 20_000; round += 1) {
    let text = round % 2 === 0 ? 'https://' : '';
    for (let count = random(7); count >= 0; count -= 1) {
      text += random(8) === 0 ? String.fromCharCode(random(65_536)) : pieces[random(pieces.length)];
    }
    let origin: string;
    try {
      origin = parseOrigin(text, domainRules);
    } catch (problem) {
      assert.ok(problem instanceof Problem, `${JSON.stringify(text)}: ${problem}`);
      assert.equal(problem.code, 'origin.invalid');
      assert.ok(problem.reason && problem.message.length < 400, problem.message);
      continue;
    }
    accepted += 1;
    const message = `${JSON.stringify(text)} was parsed as ${JSON.stringify(origin)}`;
    assert.match(origin, CANONICAL, message);
    assert.ok(!/[\s;,'"]/.test(origin), message);
    assert.equal(parseOrigin(origin, domainRules), origin, message);
    assert.ok(toOriginParts(origin).host.length > 0, message);
    // Browsers parse it as the same origin, apart from wildcards.
    const withoutWildcards = origin.replace('*.', 'x.').replace(':*', '');
    assert.equal(new URL(withoutWildcards).origin, withoutWildcards, message);
  }
  assert.ok(accepted > 500, `only ${accepted} accepted`);
});

test('parseOrigins keeps the order and removes duplicates', () => {
  const list = ['https://b.example', 'HTTPS://B.example:443', 'https://a.example'];
  assert.deepEqual(parseOrigins(list), ['https://b.example', 'https://a.example']);
});

test('the problem names the invalid entry', () => {
  assert.throws(() => parseOrigins(['https://a.example', 'b.example']), {
    code: 'origin.invalid',
    field: 'origins[1]',
    reason: 'missing-scheme',
  });
  assert.throws(() => parseOrigins(['*'], 'body.origins'), { field: 'body.origins[0]' });
});

test(`a token has at most ${MAX_ORIGINS} origins`, () => {
  const list = Array.from({ length: MAX_ORIGINS + 1 }, (_, n) => `https://${n}.shop.example`);
  assert.equal(parseOrigins(list.slice(1)).length, MAX_ORIGINS);
  assert.throws(() => parseOrigins(list), { code: 'request.invalid', field: 'origins' });
});

const coverageCases: [child: string, parent: string, covered: boolean][] = [
  ['https://shop.example', 'https://shop.example', true],
  ['https://shop.example', 'http://shop.example', false],
  ['https://shop.example:8443', 'https://shop.example', false],
  ['https://a.shop.example', 'https://shop.example', false],
  ['https://a.shop.example', 'https://*.shop.example', true],
  ['https://shop.example', 'https://*.shop.example', false],
  ['https://evilshop.example', 'https://*.shop.example', false],
  ['https://*.shop.example', 'https://*.shop.example', true],
  ['https://*.a.shop.example', 'https://*.shop.example', true],
  ['https://*.shop.example', 'https://*.a.shop.example', false],
  ['https://*.evilshop.example', 'https://*.shop.example', false],
  ['https://*.shop.example', 'https://shop.example', false],
  ['https://*.shop.example', 'https://x.shop.example', false],
  ['https://*.shop.example:8443', 'https://*.shop.example', false],
  ['http://localhost:*', 'http://localhost:*', true],
  ['http://localhost:5173', 'http://localhost:*', true],
  ['http://localhost', 'http://localhost:*', true],
  ['http://localhost:*', 'http://localhost:5173', false],
  ['http://localhost:*', 'http://localhost', false],
  ['https://localhost:5173', 'http://localhost:*', false],
  ['http://app.localhost:*', 'http://localhost:*', false],
];

test('findUncoveredOrigin compares origins of a child and its parent', async (t) => {
  for (const [child, parent, covered] of coverageCases) {
    await t.test(`${child} is ${covered ? '' : 'not '}covered by ${parent}`, () => {
      assert.equal(findUncoveredOrigin([child], [parent]), covered ? undefined : child);
    });
  }
});

test('findUncoveredOrigin returns the first origin that is not covered; an empty list covers nothing', () => {
  const parent = ['https://a.example', 'https://*.b.example'];
  const child = ['https://x.b.example', 'https://c.example', 'https://d.example'];
  assert.equal(findUncoveredOrigin(child, parent), 'https://c.example');
  assert.equal(findUncoveredOrigin(['https://a.example'], []), 'https://a.example');
  assert.equal(findUncoveredOrigin([], parent), undefined);
});

test('toOriginParts accepts canonical origins only', () => {
  for (const text of ['*', 'https:', 'https://*', 'https://*.com', 'https://a;b', 'https://A.b']) {
    assert.throws(() => toOriginParts(text), { name: 'RangeError' }, text);
  }
});
