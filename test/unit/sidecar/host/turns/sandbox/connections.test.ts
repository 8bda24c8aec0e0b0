import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Connections, MOST_HOSTS } from '../../../../../../sidecar/host/turns/sandbox/connections.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('a connection of a program in a sandbox', () => {
  const asking = (asked: string[], allow: true) => ({
    connect: async (host: string, address: string) => {
      asked.push(`${host} ${address}`);
      return { allow };
    },
  });

  it('is asked about in the turn of its own session, with an address that rules can match', async () => {
    verifies('host.sandbox.asks');
    const connections = new Connections();
    const asked: string[] = [];
    connections.began('one', asking(asked, true));
    for (const [host, port] of [
      ['Example.com.', 443],
      ['example.com', 80],
      ['example.com', 8080],
    ] as const)
      assert.deepEqual(await connections.decide('one', host, port), { allow: true });
    assert.equal((await connections.decide('two', 'example.com', 443)).allow, false);
    assert.deepEqual(asked, [
      'example.com https://example.com/',
      'example.com http://example.com/',
      'example.com https://example.com:8080/',
    ]);
  });

  it('is denied without a question if the host has no name', async () => {
    verifies('host.sandbox.confined');
    const connections = new Connections();
    const asked: string[] = [];
    connections.began('one', asking(asked, true));
    for (const host of [
      '93.184.216.34',
      '::1',
      '[::1]',
      '2130706433',
      '0x7f.1',
      '127.1',
      'a b',
      'a/b',
      'a?b',
      '',
      '*',
      'a"b',
      '-a',
    ])
      assert.equal((await connections.decide('one', host, 443)).allow, false, host);
    assert.deepEqual(asked, []);
  });

  it('is denied without a question after too many hosts in a turn', async () => {
    const connections = new Connections();
    const asked: string[] = [];
    connections.began('one', asking(asked, true));
    for (let at = 0; at < MOST_HOSTS; at += 1)
      assert.equal((await connections.decide('one', `h${at}.test`, 443)).allow, true);
    assert.equal((await connections.decide('one', 'another.test', 443)).allow, false);
    assert.equal((await connections.decide('one', 'h0.test', 443)).allow, true);
    assert.equal(asked.length, MOST_HOSTS + 1);
  });

  it('is denied once the turn is over', async () => {
    const connections = new Connections();
    connections.began('one', asking([], true))();
    const { allow, reason } = await connections.decide('one', 'example.com', 443);
    assert.deepEqual([allow, reason], [false, 'No turn is running, so nobody can be asked.']);
  });
});
