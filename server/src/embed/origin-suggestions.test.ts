import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';
import { Problem } from '@cloche/contract/problem';
import { domainRules, isValidOrigin, parseListedOrigin } from '../tokens/origins.ts';
import { adviseListing } from './origin-hints.ts';

/** The origins that a text proposes: everything that looks like one in its last sentence. */
function findProposals(detail: string): string[] {
  const sentence = detail.slice(detail.search(/(?<=[.:]) (?:Write|List|Leave|Use|Add|If)\b/));
  return [...sentence.matchAll(/https?:\/\/[^\s"]*[^\s".]/g)].map(([origin]) => origin);
}

function getDetail(text: string): string | undefined {
  try {
    parseListedOrigin(text, 'origins[0]');
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.message;
  }
}

function assertProposalsValid(text: string, detail: string): number {
  const proposals = findProposals(detail);
  for (const proposal of proposals)
    assert.ok(isValidOrigin(proposal), `${JSON.stringify(text)}: ${detail}`);
  return proposals.length;
}

const cases: [text: string, proposal: string][] = [
  ['*', 'https://shop.example'],
  ['**', 'https://shop.example'],
  ['shop.example', 'https://shop.example'],
  ['localhost:3000', 'https://localhost:3000'],
  ['shop.example/chairs', 'https://shop.example'],
  ['*.com', 'https://shop.example'],
  ['ftp://shop.example', 'https://shop.example'],
  ['https://me@shop.example', 'https://shop.example'],
  ['https://me@*', 'https://shop.example'],
  ['https://shop.example.', 'https://shop.example'],
  ['https://shop.example..', 'https://shop.example'],
  ['https://*.shop.example:99999', 'https://*.shop.example'],
  ['https://*.1.2.3', 'https://*.shop.example'],
  ['https://127.1', 'http://127.0.0.1'],
  ['https://*.github.io', 'https://your-name.github.io'],
  ['https://shop.example/', 'https://shop.example'],
  [`${'a'.repeat(60)}.${'b'.repeat(60)}.example`, 'https://shop.example'],
];

for (const [text, proposal] of cases) {
  test(`${text} is refused, and ${proposal} is proposed`, () => {
    const detail = getDetail(text) ?? '';
    assert.equal(findProposals(detail)[0], proposal, detail);
    assertProposalsValid(text, detail);
  });
}

test('a token may list every origin that is proposed for a random text', () => {
  const parts = [
    ...['*', '.', ':', '/', '//', '://', '@', '%', '#', '?', '[', ']', '-', '_', ' ', '\\', '"'],
    ...['http', 'https', 'ftp', 'shop', 'example', 'com', 'co.uk', 'github.io', 'localhost', 'ß'],
    ...[
      '127',
      '0',
      '1',
      '255',
      '256',
      '99999',
      '443',
      '80',
      'xn--',
      'bücher',
      'Σ',
      '\u200d',
      'a_b',
    ],
    ...[
      'www',
      'amazonaws.com',
      'null',
      '::1',
      'l'.repeat(64),
      'm'.repeat(90),
      '😀',
      '\u0000',
      '０',
    ],
  ];
  const random = createRandom(20_261_122);
  let proposalCount = 0;
  for (let round = 0; round < 30_000; round += 1) {
    const length = 1 + Math.floor(random() * 7);
    const prefix = random() < 0.5 ? 'https://' : '';
    const text =
      prefix + Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join('');
    const detail = getDetail(text);
    if (detail !== undefined) proposalCount += assertProposalsValid(text, detail);
    else
      for (const warning of collectOriginWarnings([parseListedOrigin(text, '')], domainRules))
        proposalCount += assertProposalsValid(text, warning.detail);
  }
  assert.ok(proposalCount > 10_000, `${proposalCount} proposals`);
});

const adviceCases: [pageOrigin: string, entry: string | undefined][] = [
  ['https://shop.example', 'https://shop.example'],
  ['https://a_b.shop.example', 'https://*.shop.example'],
  ['https://a_b.github.io', undefined],
  ['https://a_b', undefined],
  ['https://a_b.c_d.example', undefined],
  ['http://999.1', undefined],
];

for (const [pageOrigin, entry] of adviceCases) {
  test(`advice to list ${pageOrigin}: ${entry}`, () => {
    const advice = adviseListing(pageOrigin);
    assert.deepEqual(advice.match(/https?:\/\/\S+/)?.[0], entry);
    if (entry !== undefined) assert.ok(isValidOrigin(entry));
  });
}

/** A linear congruential generator, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
