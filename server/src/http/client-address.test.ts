import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ClientAddresses, parseAddressRange } from './client-address.ts';

function find(trusted: string[], remoteAddress: string | undefined, forwarded?: string): string {
  const ranges = trusted.map((text) => parseAddressRange(text) ?? assert.fail(text));
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
  return new ClientAddresses(ranges).find(request as never as IncomingMessage);
}

const PROXY = ['10.0.0.0/8', '::1'];

const cases: [why: string, trusted: string[], remote: string, header: string, expected: string][] =
  [
    ['no proxy is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['the connection is not from a proxy', PROXY, '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['one proxy', PROXY, '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['two proxies', PROXY, '10.0.0.1', '198.51.100.7, 10.2.2.2', '198.51.100.7'],
    ['a client that lies', PROXY, '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['only proxies', PROXY, '10.0.0.1', '10.0.0.3', '10.0.0.3'],
    ['an empty header', PROXY, '10.0.0.1', '', '10.0.0.1'],
    ['a very long header', PROXY, '10.0.0.1', '1.1.1.1,'.repeat(200), '10.0.0.1'],
    ['a short form', PROXY, '10.0.0.1', '127.1', '10.0.0.1'],
    ['an IPv4-mapped proxy', PROXY, '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['a mapped range', ['::ffff:10.0.0.0/104'], '10.9.0.1', '198.51.100.7', '198.51.100.7'],
    ['outside of it', ['::ffff:10.0.0.0/104'], '11.0.0.1', '198.51.100.7', '11.0.0.1'],
    ['an IPv4-mapped client', PROXY, '10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['an IPv6 client', PROXY, '::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['an IPv4 address with a port', PROXY, '::1', '198.51.100.7:4711', '198.51.100.7'],
    ['an IPv6 address with a port', PROXY, '::1', '[2001:db8::1]:4711', '2001:db8::'],
  ];

for (const [why, trusted, remote, header, expected] of cases) {
  test(`${why}: ${expected}`, () => assert.equal(find(trusted, remote, header), expected));
}

test('addresses of the same /64 are one network; others are not', () => {
  const [first, second, other] = [
    '2001:db8:0:1::1',
    '2001:db8:0:1:ffff:ffff:ffff:ffff',
    '2001:db8:0:2::1',
  ].map((address) => find([], address));
  assert.equal(first, second);
  assert.notEqual(first, other);
  assert.equal(find([], '::ffff:192.0.2.1'), find([], '192.0.2.1'));
  assert.equal(find([], 'fe80::1%eth0'), 'fe80::');
  assert.equal(find([], undefined), '');
});

test('ranges are addresses or CIDR, and nothing else', () => {
  for (const text of ['127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8', '::ffff:10.0.0.1'])
    assert.ok(parseAddressRange(text), text);
  for (const text of ['', 'localhost', '10.0.0.0/33', '10', '1.2.3', '10.0.0.1/', '*', 'loopback'])
    assert.equal(parseAddressRange(text), undefined, text);
});
