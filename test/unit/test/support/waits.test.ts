import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { until } from '../../../support/until.ts';
import { Waits } from '../../../support/waits.ts';

describe('a wait of the tests', () => {
  it('for a message ends with the message that makes it true', async () => {
    const heard: string[] = [];
    const waits = new Waits(() => heard);
    const done = waits.until(() => heard.includes('b'));
    for (const it of ['a', 'b']) {
      heard.push(it);
      waits.look();
    }
    await done;
  });

  it('for a message in vain names what it waited for, and what came last', async () => {
    const heard = ['turn started'];
    const waits = new Waits(() => heard);
    await assert.rejects(
      waits.until(() => heard.length === 2, 'the turn has ended', 1),
      /^Error: still not so after 1 ms: the turn has ended; last seen: \[ 'turn started' \]$/,
    );
  });

  it('for a message fails at once when the connection ends, and names what it waited for', async () => {
    const waits = new Waits(() => ['turn started']);
    const before = waits.until(() => false, 'the turn has ended', 60_000);
    waits.end('the peer closed the connection');
    const words = /^Error: still not so after the peer closed the connection: the turn has ended; last seen: /;
    await assert.rejects(before, words);
    await assert.rejects(
      waits.until(() => false, 'the turn has ended', 60_000),
      words,
    );
  });

  it('for a message without a sentence names its own code', async () => {
    const heard: string[] = [];
    const waits = new Waits(() => heard);
    await assert.rejects(
      waits.until(() => heard.length === 2, undefined, 1),
      /: heard\.length === 2; last seen: \[\]/,
    );
  });

  it('for a message has the time of its test, less a moment', async function () {
    this.timeout(1_700);
    const waits = new Waits(() => 'nothing');
    await assert.rejects(
      waits.until(() => false, 'a message came'),
      /a message came; last seen: 'nothing'/,
    );
  });

  it('for what another process does names what it waited for, and the value that it saw last', async () => {
    let count = 0;
    await assert.rejects(
      until('three lines are written', () => (count += 1) && false, { limitMs: 1, seen: () => `${count} lines` }),
      /still not so after 1 ms: three lines are written; last seen: '\d lines'/,
    );
  });

  it('for what another process does names what its look threw last', async () => {
    await assert.rejects(
      until('the file is there', () => assert.fail('no such file'), { limitMs: 1 }),
      (it: Error) => /the file is there/.test(it.message) && /no such file/.test(String(it.cause)),
    );
  });

  it('for what another process does goes on after a look that threw', async () => {
    let looks = 0;
    const half = () => JSON.parse((looks += 1) < 3 ? '{"a":' : '{"a":1}') as unknown;
    assert.deepEqual(await until('the file is whole', half), { a: 1 });
  });

  it('for what another process does answers what it found', async () => {
    assert.equal(await until('there is a value', () => 'value'), 'value');
  });
});
