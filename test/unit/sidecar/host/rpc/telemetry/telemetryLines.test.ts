import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { Telemetry } from '../../../../../../sidecar/host/rpc/telemetry.ts';
import type { Written } from '../../../../../../sidecar/host/state/store.ts';
import type { Log } from '../../../../../../sidecar/platform/logger.ts';
import { ExportLogs, type LogRecord } from '../../../../../../sidecar/protocol/telemetry.ts';
import type { SharedNotification } from '../../../../../../sidecar/transport/wireText.ts';
import { keepingLog } from '../../../../../support/testLog.ts';

const LOGS = 'host-otlp:/logs';
const MOST_UNREAD = 1024 * 1024;

class Reader {
  readonly texts: string[] = [];
  readonly queuedBytes: number;
  constructor(queuedBytes = 0) {
    this.queuedBytes = queuedBytes;
  }
  send({ wire: { text } }: SharedNotification): void {
    this.texts.push(text);
  }
  take(): LogRecord[] {
    return this.texts
      .splice(0)
      .flatMap((it) => ExportLogs.parse(JSON.parse(it).params.payload).resourceLogs[0]!.scopeLogs[0]!.logRecords);
  }
}
const said = (reader: Reader) => reader.take().map((it) => `${it.severityText} ${it.body.stringValue}`);
const attributes = (it: LogRecord) => Object.fromEntries(it.attributes.map(({ key, value }) => [key, value]));

describe('the lines of the log and the life of turns, for whoever follows them', () => {
  let telemetry: Telemetry;
  let log: Log;
  let lines: readonly string[];
  let listeners: ((written: Written) => void)[];
  let timers: (() => void)[];
  let reader: Reader;
  beforeEach(() => {
    listeners = [];
    timers = [];
    telemetry = new Telemetry({
      build: { version: '0.1.0', builtAtMs: 1 },
      clock: { nowMs: () => 1 },
      timers: {
        after(_delayMs, work) {
          timers.push(work);
          return () => undefined;
        },
      },
      store: {
        onWritten(listener) {
          listeners.push(listener);
          return () => (listeners = listeners.filter((it) => it !== listener));
        },
        metadata: (channel) => (channel === 'host-chat:/1' ? { session: 'host-session:/s1' } : undefined),
      },
    });
    const kept = keepingLog();
    lines = kept.lines;
    log = telemetry.over(kept.log);
    reader = new Reader();
  });
  const flush = () => {
    for (const work of timers.splice(0)) work();
  };
  const happen = (channel: string, action: object, rejectionReason?: string) => {
    const envelope = { channel, action, serverSeq: 1, ...(rejectionReason !== undefined && { rejectionReason }) };
    for (const it of listeners) it({ envelope, text: '' } as Written);
  };

  it('go to the log too, which hides what must be hidden, also where nobody follows', () => {
    const speak = (secret: string) => {
      log.hide(secret);
      for (const severity of ['debug', 'info', 'warn', 'error'] as const)
        log[severity]({ n: 1 }, `${severity} ${secret}`);
      log.report('id-1', new TypeError(`in ${secret}`));
    };
    speak('first-secret');
    assert.deepEqual([lines.length, timers.length], [5, 0]);
    telemetry.subscribe(reader, LOGS);
    speak('other-secret');
    flush();
    assert.equal(lines.length, 10);
    assert.doesNotMatch([...lines, ...reader.texts].join('\n'), /first-secret|other-secret/);
    const records = reader.take();
    assert.deepEqual(
      records.map((it) => it.severityText),
      ['DEBUG', 'INFO', 'WARN', 'ERROR', 'ERROR'],
    );
    assert.equal(records.at(-1)?.body.stringValue, 'internal error');
    assert.deepEqual(attributes(records.at(-1)!), {
      id: { stringValue: 'id-1' },
      'exception.type': { stringValue: 'TypeError' },
    });
  });

  it('are followed in the store from the first subscription to the end of the last one, once', () => {
    const other = new Reader();
    telemetry.subscribe(reader, LOGS);
    telemetry.subscribe(reader, `${LOGS}/error`);
    telemetry.subscribe(other, LOGS);
    assert.equal(listeners.length, 1);
    telemetry.leave(reader);
    log.error({}, 'one');
    flush();
    assert.deepEqual([said(reader), said(other)], [[], ['ERROR one']]);
    telemetry.unsubscribe(other, `${LOGS}/error`);
    assert.equal(listeners.length, 1);
    telemetry.unsubscribe(other, LOGS);
    assert.equal(listeners.length, 0);
    log.error({}, 'to nobody');
    assert.equal(timers.length, 0);
    telemetry.subscribe(reader, LOGS);
    assert.equal(listeners.length, 1);
  });

  const turn = { turnId: 't1' };
  const ended = { ...turn, duration: 7 };
  const call = { ...turn, toolCallId: 'c1' };
  const ofTurn = { 'ahp.turn.id': { stringValue: 't1' } };
  const ofEnd = { ...ofTurn, durationMs: { intValue: '7' } };
  const ofCall = { ...ofTurn, 'ahp.tool_call.id': { stringValue: 'c1' } };
  const moments: readonly [type: string, more: object, said: string | undefined, facts: object][] = [
    ['session/ready', {}, 'INFO a session is ready', {}],
    ['session/creationFailed', {}, 'ERROR a session could not be created', {}],
    ['chat/turnStarted', turn, 'INFO a turn began', ofTurn],
    ['chat/turnComplete', ended, 'INFO a turn ended', ofEnd],
    ['chat/turnCancelled', ended, 'INFO a turn was stopped', ofEnd],
    ['chat/error', ended, 'ERROR a turn failed', ofEnd],
    ['chat/toolCallStart', call, 'DEBUG a tool call began', ofCall],
    ['chat/toolCallComplete', call, 'DEBUG a tool call ended', ofCall],
    ['chat/delta', turn, undefined, {}],
  ];
  for (const [type, more, expected, facts] of moments)
    it(`say of ${type} ${expected === undefined ? 'nothing' : 'that it happened, and in which session'}; nothing of one that was refused`, () => {
      telemetry.subscribe(reader, LOGS);
      happen('host-chat:/1', { type, ...more }, 'no');
      happen('host-chat:/1', { type, ...more });
      happen('host-session:/s2', { type, ...more });
      happen('host-root://', { type, ...more });
      flush();
      const records = reader.take();
      const sessions = ['s1', 's2', undefined].map((id) => (id ? { 'ahp.session.id': { stringValue: id } } : {}));
      assert.deepEqual(
        records.map((it) => [`${it.severityText} ${it.body.stringValue}`, attributes(it)]),
        expected === undefined ? [] : sessions.map((session) => [expected, { ...facts, ...session }]),
      );
    });

  it('leave with one timer for all; how many were left out is said once', () => {
    telemetry.subscribe(reader, LOGS);
    for (let n = 0; n < 201; n += 1) log.info({}, 'again');
    assert.equal(timers.length, 1);
    flush();
    const first = reader.take();
    assert.deepEqual([first.length, attributes(first.at(-1)!)], [201, { count: { intValue: '1' } }]);
    for (let n = 0; n < 200; n += 1) log.info({}, 'again');
    flush();
    assert.equal(reader.take().length, 200);
  });

  it('go to each as severe as it wants them, nothing where it wants none of them, and nothing to who is far behind', () => {
    const errors = new Reader();
    const behind = [new Reader(MOST_UNREAD), new Reader(MOST_UNREAD + 1)] as const;
    telemetry.subscribe(reader, `${LOGS}?level=warn`);
    telemetry.subscribe(errors, `${LOGS}/error`);
    for (const it of behind) telemetry.subscribe(it, LOGS);
    log.info({}, 'one');
    log.warn({}, 'two');
    flush();
    assert.deepEqual(
      [said(reader), errors.texts, said(behind[0]), behind[1].texts],
      [['WARN two'], [], ['INFO one', 'WARN two'], []],
    );
  });

  it('hold at most 16 facts, no number that is none, and no name that is long', () => {
    telemetry.subscribe(reader, LOGS);
    log.info(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, n])), 'many');
    const long = 'x'.repeat(80);
    log.info({ a: NaN, b: Infinity, c: 2 ** 60, d: long, e: `${long}x`, f: null, g: { h: 1 }, i: '' }, 'odd');
    flush();
    const [many, odd] = reader.take();
    assert.equal(many?.attributes.length, 16);
    assert.deepEqual(attributes(odd!), { c: { doubleValue: 2 ** 60 }, d: { stringValue: long } });
  });
});
