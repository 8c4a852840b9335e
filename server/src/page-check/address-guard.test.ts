import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRanges } from '../../testing/page-server.ts';
import { PRIVATE_HOSTS } from '../../testing/private-hosts.ts';
import { AddressGuard } from './address-guard.ts';
import { parsePageUrl, toHost, toPort } from './page-url.ts';

const guard = new AddressGuard([]);

test('private addresses are refused in every notation', () => {
  for (const host of PRIVATE_HOSTS) {
    const url = parsePageUrl(`http://${host}/`);
    assert.equal(guard.isAllowed(toHost(url), toPort(url)), false, `${host} is ${toHost(url)}`);
  }
});

test('public addresses are allowed, at the ports of web sites', () => {
  for (const address of ['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111']) {
    for (const [port, isAllowed] of [
      [80, true],
      [443, true],
      [22, false],
      [8080, false],
    ] as const)
      assert.equal(guard.isAllowed(address, port), isAllowed, `${address} ${port}`);
  }
});

test('what is not an address is refused', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', 'shop.example', '10.0.0.0/8'])
    assert.equal(guard.isAllowed(text, 80), false, text);
});

test('the operator can allow ranges, at all ports', () => {
  const intranet = new AddressGuard(parseRanges('10.1.0.0/16', '::1'));
  assert.ok(intranet.isAllowed('10.1.2.3', 8080));
  assert.ok(intranet.isAllowed('::ffff:10.1.2.3', 8080));
  assert.ok(intranet.isAllowed('::1', 3000));
  assert.ok(!intranet.isAllowed('10.2.0.1', 80));
  assert.ok(!intranet.isAllowed('127.0.0.1', 80));
  assert.ok(!intranet.isAllowed('93.184.216.34', 8080));
});
