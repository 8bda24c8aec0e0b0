import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { askToConnect } from '../../../../../../sidecar/host/turns/sandbox/askToConnect.ts';
import {
  type AsksAboutConnections,
  Connections,
  type SessionNotes,
} from '../../../../../../sidecar/host/turns/sandbox/connections.ts';
import { MOST_HOSTS } from '../../../../../../sidecar/host/turns/sandbox/decideConnection.ts';
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

  it('is asked about once, in the next turn of its session, if it was denied because no turn was running', async () => {
    verifies('host.sandbox.missed');
    const connections = new Connections();
    const asked: string[] = [];
    for (const host of ['a.test', 'a.test', 'b.test']) await connections.decide('one', host, 443);
    await connections.decide('two', 'c.test', 443);
    const first = await untilAsked(2, (turn) => connections.began('one', turn), asked);
    assert.deepEqual(first, ['a.test', 'b.test']);
    connections.began('one', asking(asked, true))();
    await connections.decide('two', 'd.test', 443); // what began before has asked by now
    assert.deepEqual(asked, ['a.test', 'b.test']);
  });
});

/** Waits until a turn was asked about so many hosts, and answers as `askToConnect` does. */
async function untilAsked(
  count: number,
  begin: (turn: AsksAboutConnections) => () => void,
  asked: string[],
): Promise<string[]> {
  await new Promise<void>((resolve) => {
    begin({
      async connect(host, address, notes) {
        notes.missed.delete(address);
        asked.push(host);
        if (asked.length === count) resolve();
        return { allow: false };
      },
    });
  });
  return [...asked];
}

describe('the question about a connection', () => {
  const decide = async (needless: readonly string[], isAllowed: boolean, notes: SessionNotes) => {
    const seen: string[] = [];
    const decision = await askToConnect(
      {
        newId: () => 'id',
        writer: {
          toolStarted: ({ intention = 'no reason' }) => void seen.push(intention),
          toolEnded: ({ pastTenseMessage }) => void seen.push(String(pastTenseMessage)),
          notice: (markdown) => void seen.push(markdown),
        },
        agent: { displayName: 'Qwen Code', needless },
        needsQuestion: async () => !isAllowed,
        confirm: async (_facts, { introduce }) => {
          introduce();
          return { allow: true };
        },
      },
      'rum.test',
      'https://rum.test/',
      notes,
    );
    return { seen, allow: decision.allow };
  };
  const newNotes = (): SessionNotes => ({ missed: new Map(), isTold: false });

  it('is not asked if the agent does not require the host, and the session says so once', async () => {
    verifies('host.sandbox.needless');
    const notes = newNotes();
    const first = await decide(['rum.test', 'b.test'], false, notes);
    assert.equal(first.allow, false);
    assert.equal(first.seen.length, 1);
    assert.match(first.seen[0] ?? '', /^Qwen Code connects to these hosts .*: rum\.test, b\.test\. To allow one/);
    assert.deepEqual(await decide(['rum.test', 'b.test'], false, notes), { seen: [], allow: false });
  });

  it('is left to a rule that allows the host', async () => {
    verifies('host.sandbox.needless');
    const { seen, allow } = await decide(['rum.test'], true, newNotes());
    assert.deepEqual([seen, allow], [['no reason', 'Connected to rum.test'], true]);
  });

  it('says which agent tried to connect while no turn was running', async () => {
    verifies('host.sandbox.missed');
    const notes = newNotes();
    notes.missed.set('https://rum.test/', 'rum.test');
    const { seen } = await decide([], false, notes);
    assert.match(seen[0] ?? '', /^Qwen Code or a program that it started tried this while no turn was running/);
    assert.equal(seen[1], 'Allowed connections to rum.test');
    assert.equal(notes.missed.size, 0);
  });
});
