import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { coversNetwork, openNetworks, plainAddress } from '../../../../../sidecar/gateway/auth/networks.ts';

describe('addresses and networks', () => {
  const rows: readonly (readonly [network: string, inside: readonly string[], outside: readonly string[]])[] = [
    [
      '10.1.0.0/16',
      ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'],
      ['10.2.0.0', '::a01:203', 'fd00::1'],
    ],
    ['192.0.2.7', ['192.0.2.7', '::FFFF:192.0.2.7', '0:0:0:0:0:ffff:c000:207'], ['192.0.2.8', '192.0.2.70', '']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9', '::ffff:10.9.9.9'], ['11.0.0.1']],
    ['::ffff:192.0.2.7', ['192.0.2.7'], ['192.0.2.6']],
    ['2001:db8::/32', ['2001:db8::1', '2001:DB8:0:0::1%eth0'], ['2001:db9::1', '10.0.0.1']],
    ['0.0.0.0/0', ['203.0.113.9', '::ffff:203.0.113.9'], ['2001:db8::1']],
    ['::/0', ['2001:db8::1'], ['not an address']],
  ];
  for (const [network, inside, outside] of rows) {
    it(`hold of ${network} what is in it in any spelling, and nothing else`, () => {
      const isIn = openNetworks([network]);
      assert.deepEqual([...inside, ...outside].filter(isIn), inside);
    });
  }

  it('hold nothing of an entry that is neither, and name it', () => {
    for (const entry of [
      '10.0.0.0/33',
      '::/129',
      '10.0.0/8',
      'fe80::1%eth0/64',
      'host',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '',
    ]) {
      const wrong: string[] = [];
      assert.equal(openNetworks([entry], (it) => wrong.push(it))('10.0.0.1'), false);
      assert.deepEqual(wrong, [entry]);
    }
  });

  it('cover a network as a whole or not at all', () => {
    const covered: readonly (readonly [string, string])[] = [
      ['10.0.0.0/8', '10.1.0.0/16'],
      ['10.0.0.0/8', '10.0.0.1'],
      ['10.0.0.0/8', '::ffff:10.0.0.1'],
      ['fd00::/8', 'fd00::/8'],
    ];
    const others: readonly (readonly [string, string])[] = [
      ['10.1.0.0/16', '10.0.0.0/8'],
      ['10.0.0.0/8', '11.0.0.1'],
      ['0.0.0.0/0', 'fd00::1'],
      ['10.0.0.0/8', 'nothing'],
      ['nothing', '10.0.0.0/8'],
      ['nothing', 'nothing'],
    ];
    for (const [outer, inner] of covered) assert.ok(coversNetwork(outer, inner), `${outer} ${inner}`);
    for (const [outer, inner] of others) assert.ok(!coversNetwork(outer, inner), `${outer} ${inner}`);
  });

  it('are IPv4 where they stand for IPv4', () => {
    assert.equal(plainAddress('::ffff:7f00:1'), '127.0.0.1');
    assert.equal(plainAddress('::1'), '::1');
    assert.equal(plainAddress('unknown'), 'unknown');
  });
});
