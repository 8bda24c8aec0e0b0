import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Passed } from '../../../../src/client/tap.ts';
import { Cleaner } from '../../../../src/diagnostics/cleaner.ts';
import { Traffic } from '../../../../src/diagnostics/traffic.ts';

const message = (change: Partial<Passed>): Passed => ({
  direction: 'sent',
  kind: 'request',
  method: 'subscribe',
  params: { channel: 'host-root://' },
  body: {},
  ...change,
});
const open = () => {
  const cleaner = new Cleaner('/home/ada');
  return new Traffic(
    (it) => cleaner.json(it),
    () => '2026-03-04T10:00:00.000Z',
  );
};

describe('protocol traffic', () => {
  it('is shown newest first, by direction, channel and method', () => {
    const traffic = open();
    traffic.add(message({}));
    traffic.add(message({ direction: 'received', kind: 'answer' }));
    traffic.add(message({ method: 'ping', params: undefined }));
    const numbers = (filter: Parameters<Traffic['shown']>[0]) => traffic.shown(filter).map((it) => it.number);
    assert.deepEqual(numbers({}), [3, 2, 1]);
    assert.deepEqual(numbers({ direction: 'received' }), [2]);
    assert.deepEqual(numbers({ channel: 'host-root://' }), [2, 1]);
    assert.deepEqual(numbers({ method: 'ping' }), [3]);
    assert.deepEqual(numbers({ method: 'ping', direction: 'received' }), []);
    assert.deepEqual(traffic.values('channel'), ['host-root://']);
    assert.deepEqual(traffic.values('method'), ['ping', 'subscribe']);
  });

  it('keeps the last 500 messages and no more', () => {
    const traffic = open();
    for (let at = 0; at < 600; at += 1) traffic.add(message({}));
    const shown = traffic.shown({});
    assert.deepEqual([shown.length, shown[0]?.number, shown.at(-1)?.number], [500, 600, 101]);
  });

  it('cuts a long message', () => {
    const traffic = open();
    traffic.add(message({ body: { text: 'x'.repeat(50_000) } }));
    assert.ok((traffic.shown({})[0]?.text.length ?? 0) <= 20_002);
  });

  it('has no secret: no token, no environment, no password in an address', () => {
    const traffic = open();
    const window = {
      environment: { PLAIN: 'opaque words' },
      token: 'another one',
      url: 'https://a:hunter22@b.invalid',
    };
    traffic.add(message({ body: { window, home: '/home/ada/x' } }));
    const text = traffic.shown({})[0]?.text ?? '';
    assert.doesNotMatch(text, /opaque words|another one|hunter22|ada/);
  });

  it('is empty after it was cleared', () => {
    const traffic = open();
    traffic.add(message({}));
    traffic.clear();
    assert.deepEqual(traffic.shown({}), []);
  });
});
