import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logger.ts';
import { Redactor } from '../../platform/redact.ts';
import type { Timers } from '../../platform/timers.ts';
import type { AnyAction } from '../../protocol/envelope.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import { type ExportLogs, type LogRecord, parseLogsUri, type Severity, severities } from '../../protocol/telemetry.ts';
import { parseSessionUri } from '../../protocol/uris.ts';
import { SharedNotification } from '../../transport/wireText.ts';
import type { Written } from '../state/store.ts';
import { toAttributes } from './telemetryAttributes.ts';

/** Records are sent together, after this time. */
const FLUSH_MS = 250;
/** Most records that are sent together; how many more there were is one record. */
const MAX_RECORDS = 200;
/** Whoever has more than this unread gets no records until it has caught up: they are not worth its connection. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Whoever can follow the log. */
export interface LogReader {
  readonly queuedBytes: number;
  send(notification: SharedNotification): void;
}

export interface TelemetryDeps {
  readonly build: Build;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly timers: Pick<Timers, 'after'>;
  readonly store: {
    onWritten(listener: (written: Written) => void): () => void;
    metadata(channel: string): { readonly session?: string } | undefined;
  };
}

/**
 * The host's log and the life of turns as OpenTelemetry records, for subscribers: live only, nothing is kept. Sentences
 * of ours, numbers and identifiers leave; no text of a person, agent or error, and no path.
 */
export class Telemetry {
  readonly #deps: TelemetryDeps;
  readonly #readers = new Map<string, Set<LogReader>>();
  /** Takes out what must not leave the host: it was told every secret that the log was told. */
  readonly redactor = new Redactor();
  #waiting: LogRecord[] = [];
  #leftOut = 0;
  #stopStore: (() => void) | undefined;

  constructor(deps: TelemetryDeps) {
    this.#deps = deps;
  }

  /** A log whose lines go to `log` and to the subscribers. */
  over(log: Log): Log {
    const both = (severity: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
      log[severity](facts, message);
      this.#add(severity, message, facts);
    };
    return {
      debug: both('debug'),
      info: both('info'),
      warn: both('warn'),
      error: both('error'),
      hide: (secret) => {
        this.redactor.hide(secret);
        log.hide(secret);
      },
      report: (id, thrown) => {
        log.report(id, thrown);
        this.#add('error', 'internal error', { id, thrown });
      },
    };
  }

  /** @param uri one that {@link parseLogsUri} knows */
  subscribe(reader: LogReader, uri: string): void {
    const readers = this.#readers.get(uri) ?? new Set();
    this.#readers.set(uri, readers.add(reader));
    this.#stopStore ??= this.#deps.store.onWritten((written) => this.#onWritten(written));
  }
  unsubscribe(reader: LogReader, uri: string): void {
    const readers = this.#readers.get(uri);
    if (readers?.delete(reader) && readers.size === 0) this.#readers.delete(uri);
    if (this.#readers.size > 0) return;
    this.#stopStore?.();
    this.#stopStore = undefined;
  }
  leave(reader: LogReader): void {
    for (const uri of [...this.#readers.keys()]) this.unsubscribe(reader, uri);
  }

  #onWritten({ envelope: { channel, action, rejectionReason } }: Written): void {
    if (rejectionReason !== undefined) return;
    const event = logEventOf(action);
    if (!event) return;
    const session = parseSessionUri(this.#deps.store.metadata(channel)?.session ?? channel);
    this.#add(event.severity, event.message, {
      ...event.facts,
      ...(session !== undefined && { 'ahp.session.id': session }),
    });
  }

  #add(severity: Severity, message: string, facts: object): void {
    if (this.#readers.size === 0) return;
    if (this.#waiting.length >= MAX_RECORDS) {
      this.#leftOut += 1;
      return;
    }
    if (this.#waiting.length === 0) this.#deps.timers.after(FLUSH_MS, () => this.#flush());
    this.#waiting.push(this.#record(severity, message, facts));
  }

  #record(severity: Severity, message: string, facts: object): LogRecord {
    return {
      timeUnixNano: `${Math.round(this.#deps.clock.nowMs())}000000`,
      severityNumber: severities[severity],
      severityText: severity.toUpperCase(),
      body: { stringValue: this.redactor.text(message) },
      attributes: toAttributes(facts, this.redactor),
    };
  }

  #flush(): void {
    const records = this.#waiting;
    if (this.#leftOut > 0) records.push(this.#record('warn', 'some records were dropped', { count: this.#leftOut }));
    this.#waiting = [];
    this.#leftOut = 0;
    for (const [channel, readers] of this.#readers) {
      const least = parseLogsUri(channel) ?? 0;
      const wanted = records.filter((it) => it.severityNumber >= least);
      if (wanted.length === 0) continue;
      const notification = new SharedNotification('otlp/exportLogs', { channel, payload: this.#payload(wanted) });
      for (const it of readers) if (it.queuedBytes <= MAX_UNREAD_BYTES) it.send(notification);
    }
  }

  #payload(logRecords: LogRecord[]): ExportLogs {
    const resource = toAttributes(
      { 'service.name': 'switchboard', 'service.version': this.#deps.build.version },
      this.redactor,
    );
    return {
      resourceLogs: [
        { resource: { attributes: resource }, scopeLogs: [{ scope: { name: 'switchboard.host' }, logRecords }] },
      ],
    };
  }
}

interface LogEvent {
  readonly severity: Severity;
  readonly message: string;
  readonly facts: object;
}

/** What of an action is worth a record: that something began or ended, never a text. */
function logEventOf(action: AnyAction): LogEvent | undefined {
  const turn = 'turnId' in action ? { 'ahp.turn.id': action['turnId'] } : {};
  const ended = { ...turn, ...('duration' in action && { durationMs: action['duration'] }) };
  const call = { ...turn, ...('toolCallId' in action && { 'ahp.tool_call.id': action['toolCallId'] }) };
  switch (action.type) {
    case 'session/ready':
      return { severity: 'info', message: 'a session is ready', facts: {} };
    case 'session/creationFailed':
      return { severity: 'error', message: 'a session could not be created', facts: {} };
    case 'chat/turnStarted':
      return { severity: 'info', message: 'a turn began', facts: turn };
    case 'chat/turnComplete':
      return { severity: 'info', message: 'a turn ended', facts: ended };
    case 'chat/turnCancelled':
      return { severity: 'info', message: 'a turn was stopped', facts: ended };
    case 'chat/error':
      return { severity: 'error', message: 'a turn failed', facts: ended };
    case 'chat/toolCallStart':
      return { severity: 'debug', message: 'a tool call began', facts: call };
    case 'chat/toolCallComplete':
      return { severity: 'debug', message: 'a tool call ended', facts: call };
    default:
      return undefined;
  }
}
