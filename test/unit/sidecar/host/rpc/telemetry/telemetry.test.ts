import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Telemetry } from '../../../../../../sidecar/host/rpc/telemetry.ts';
import { systemTimers, type Timers } from '../../../../../../sidecar/platform/timers.ts';
import { ExportLogs, type LogRecord } from '../../../../../../sidecar/protocol/telemetry.ts';
import { parseSessionUri, ROOT } from '../../../../../../sidecar/protocol/uris.ts';
import type { SharedNotification } from '../../../../../../sidecar/transport/wireText.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';
import { keepingLog } from '../../../../../support/testLog.ts';

/** Records are gathered for so long. */
const FLUSH_MS = 250;
const CANARY = 'canary-5f0e3b7a91';
const failing = scriptedProvider(async function* (turn) {
  if (turn.text === 'fail') throw new Error(`${CANARY}: /home/somebody/secret.txt`);
  yield { kind: 'text', partId: 'a', text: `the answer holds ${CANARY}` };
});

const attributesOf = (record: LogRecord) =>
  Object.fromEntries(record.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const exportsOn = (peer: HostPeer, channel: string) =>
  peer.notified.filter((it) => it.method === 'otlp/exportLogs' && it.params['channel'] === channel);
const recordsOn = (peer: HostPeer, channel: string) =>
  exportsOn(peer, channel).flatMap(
    (it) => ExportLogs.parse(it.params['payload']).resourceLogs[0]?.scopeLogs[0]?.logRecords ?? [],
  );
const bodies = (records: readonly LogRecord[]) => records.map((it) => it.body.stringValue);

describe('the log as a channel of OpenTelemetry records', () => {
  let place: HostPlace;
  let peer: HostPeer;
  beforeEach(async () => {
    place = await openHostPlace([failing]);
    peer = await place.connect('c1');
  });
  afterEach(() => place.close());

  it('is offered at the handshake, for logs alone', async () => {
    const other = place.connectSilently();
    const { telemetry } = await other.initialize('c2', testWindow);
    assert.deepEqual(telemetry, { logs: 'host-otlp:/logs{?level}' });
  });

  it('has no state, and tells where a turn belongs', async () => {
    assert.deepEqual(await peer.request('subscribe', { channel: 'host-otlp:/logs' }), {});
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'hello');
    await peer.until(() => bodies(recordsOn(peer, 'host-otlp:/logs')).includes('a turn ended'));
    const ended = recordsOn(peer, 'host-otlp:/logs').find((it) => it.body.stringValue === 'a turn ended')!;
    assert.equal(ended.severityNumber, 9);
    assert.equal(ended.severityText, 'INFO');
    assert.match(ended.timeUnixNano, /^\d{19}$/);
    const { durationMs, ...ids } = attributesOf(ended);
    assert.match(String(durationMs), /^\d/);
    assert.deepEqual(ids, { 'ahp.turn.id': turnId, 'ahp.session.id': parseSessionUri(session) });
    const { resource } = ExportLogs.parse(exportsOn(peer, 'host-otlp:/logs')[0]!.params['payload']).resourceLogs[0]!;
    assert.deepEqual(resource.attributes, [
      { key: 'service.name', value: { stringValue: 'switchboard' } },
      { key: 'service.version', value: { stringValue: '0.1.0' } },
    ]);
  });

  it('holds back what is less severe than the subscriber asked for, in any case of letters', async () => {
    const wanted = ['host-otlp:/logs?level=ERROR', 'host-otlp:/logs/info', 'host-otlp:/logs?level=trace'];
    for (const channel of wanted) await peer.request('subscribe', { channel });
    const { chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, 'fail'));
    await peer.until(() => wanted.every((it) => bodies(recordsOn(peer, it)).includes('a turn failed')));
    assert.ok(recordsOn(peer, wanted[0]!).every((it) => it.severityNumber >= 17));
    assert.ok(bodies(recordsOn(peer, wanted[1]!)).includes('a turn began'));
    assert.ok(bodies(recordsOn(peer, wanted[2]!)).includes('a turn began'));
  });

  it('knows no other address', async () => {
    for (const channel of ['host-otlp:/logs?level=loud', 'host-otlp:/traces', 'host-otlp:/logs?level=', 'host-otlp:/'])
      await assert.rejects(peer.request('subscribe', { channel }), { code: -32001 }, channel);
  });

  it('ends with its subscription, and comes back with the client', async () => {
    const channel = 'host-otlp:/logs';
    await peer.request('subscribe', { channel });
    peer.close();
    const back = place.connectSilently();
    back.clientId = 'c1';
    const result = await back.request('reconnect', {
      clientId: 'c1',
      lastSeenServerSeq: 0,
      subscriptions: [ROOT, channel, 'host-chat:/none'],
    });
    assert.ok(result.type === 'snapshot' || result.type === 'replay');
    if (result.type === 'replay') assert.deepEqual(result.missing, ['host-chat:/none']);
    else
      assert.deepEqual(
        result.snapshots.map((it) => it.resource),
        [ROOT],
      );
    const { chat } = await back.newSession();
    await back.ended(chat, await back.prompt(chat, 'one'));
    await back.until(() => bodies(recordsOn(back, channel)).includes('a turn ended'));
    back.peer.sendNotification('unsubscribe', { channel });
    await back.request('subscribe', { channel: 'host-otlp:/logs?level=info' });
    const before = recordsOn(back, channel).length;
    await back.ended(chat, await back.prompt(chat, 'two'));
    await back.until(() => bodies(recordsOn(back, 'host-otlp:/logs?level=info')).includes('a turn ended'));
    assert.equal(recordsOn(back, channel).length, before);
  });

  it('is gathered for nobody once its last subscriber broke off', async () => {
    let gathered = 0;
    const after: Timers['after'] = (delayMs, work) => {
      if (delayMs === FLUSH_MS) gathered += 1;
      return systemTimers.after(delayMs, work);
    };
    const other = await openHostPlace([failing], { timers: { ...systemTimers, after } });
    try {
      const [reader, worker] = [await other.connect('c1'), await other.connect('c2')];
      await reader.request('subscribe', { channel: 'host-otlp:/logs' });
      const { chat } = await worker.newSession();
      await worker.ended(chat, await worker.prompt(chat, 'hello'));
      await reader.until(() => recordsOn(reader, 'host-otlp:/logs').length > 0);
      reader.close();
      // What was gathered before goes; then nobody is there.
      await worker.ended(chat, await worker.prompt(chat, 'hello'));
      await new Promise((resolve) => void systemTimers.after(FLUSH_MS, () => resolve(undefined)));
      const before = gathered;
      assert.ok(before > 0);
      await worker.ended(chat, await worker.prompt(chat, 'hello'));
      assert.equal(gathered, before);
    } finally {
      await other.close();
    }
  });

  it('shows no word of a person or an agent, no error text, no path and no token', async () => {
    await peer.request('subscribe', { channel: 'host-otlp:/logs' });
    await assert.rejects(
      peer.request('authenticate', { resource: 'https://nobody.example', token: `${CANARY}-token` }),
    );
    const { chat } = await peer.newSession();
    await peer.ended(chat, await peer.prompt(chat, `my password is ${CANARY}`));
    await peer.ended(chat, await peer.prompt(chat, 'fail'));
    peer.peer.sendNotification('dispatchAction', { channel: chat, clientSeq: CANARY, action: { type: CANARY } });
    await peer.until(() => bodies(recordsOn(peer, 'host-otlp:/logs')).includes('a turn failed'));
    await peer.until(() =>
      bodies(recordsOn(peer, 'host-otlp:/logs')).includes('a client sent a malformed dispatchAction'),
    );
    const all = JSON.stringify(exportsOn(peer, 'host-otlp:/logs'));
    assert.ok(!all.includes(CANARY), all);
    assert.ok(!all.includes(place.dataDir), all);
    assert.ok(!all.includes('/home/'), all);
  });
});

describe('records of telemetry, however many there are', () => {
  const open = () => {
    let flush: (() => void) | undefined;
    const telemetry = new Telemetry({
      build: { version: '0.1.0', builtAtMs: 1 },
      clock: { nowMs: () => 1_700_000_000_000.4 },
      timers: {
        after(_delayMs, work) {
          flush = work;
          return () => undefined;
        },
      },
      store: { onWritten: () => () => undefined, metadata: () => undefined },
    });
    return { log: telemetry.over(keepingLog().log), telemetry, flush: () => flush?.() };
  };
  const reader = (queuedBytes = 0) => {
    const texts: string[] = [];
    const records = () =>
      texts.flatMap(
        (it) =>
          ExportLogs.parse((JSON.parse(it) as { params: { payload: unknown } }).params.payload).resourceLogs[0]
            ?.scopeLogs[0]?.logRecords ?? [],
      );
    return { queuedBytes, texts, send: ({ wire }: SharedNotification) => void texts.push(wire.text), records };
  };

  it('leave together, at most 200, and those left out are counted', () => {
    const { log, telemetry, flush } = open();
    const one = reader();
    telemetry.subscribe(one, 'host-otlp:/logs');
    for (let n = 0; n < 1_000; n += 1) log.info({ n }, 'again');
    flush();
    assert.equal(one.texts.length, 1);
    assert.equal(one.records().length, 201);
    assert.deepEqual(attributesOf(one.records().at(-1)!), { count: '800' });
    assert.equal(one.records()[0]?.timeUnixNano, '1700000000000000000');
  });

  it('are one text for all who asked for the same, and none for whoever does not read', () => {
    const { log, telemetry, flush } = open();
    const [one, two, slow] = [reader(), reader(), reader(2_000_000)];
    for (const it of [one, two, slow]) telemetry.subscribe(it, 'host-otlp:/logs?level=warn');
    log.info({}, 'not for them');
    log.warn({}, 'for them');
    flush();
    assert.deepEqual(bodies(one.records()), ['for them']);
    assert.equal(one.texts[0], two.texts[0]);
    assert.deepEqual(slow.texts, []);
  });

  it('hold numbers, truth values and identifiers, the type of an error, and nothing else', () => {
    const { log, telemetry, flush } = open();
    const one = reader();
    telemetry.subscribe(one, 'host-otlp:/logs');
    log.hide('a-known-secret');
    const error = new TypeError('in /home/somebody');
    log.warn(
      {
        n: 3,
        half: 0.5,
        ok: true,
        id: 'a1',
        text: 'two words',
        path: '/etc',
        key: 'a-known-secret',
        token: 'abc',
        error,
      },
      'facts',
    );
    flush();
    assert.deepEqual(one.records()[0]?.attributes, [
      { key: 'n', value: { intValue: '3' } },
      { key: 'half', value: { doubleValue: 0.5 } },
      { key: 'ok', value: { boolValue: true } },
      { key: 'id', value: { stringValue: 'a1' } },
      { key: 'exception.type', value: { stringValue: 'TypeError' } },
    ]);
  });
});
