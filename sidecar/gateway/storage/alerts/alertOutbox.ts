import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { momentOf } from '../../../platform/clock.ts';
import { AlertEvent, type AlertKind } from '../../../protocol/gateway/alerts/event.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';

/** Something to report, as whoever saw it describes it. */
export interface NewAlert extends Pick<AlertEvent, 'subject' | 'message' | 'facts'> {
  readonly type: AlertKind;
  /** Says what happened to whom and when: of two alerts with the same words, the first is kept. */
  readonly occasion: string;
  readonly atMs: number;
  /** The only rule that it is for. Default: every rule that reports this type */
  readonly rule?: string;
}

/** An event that no rule has seen yet. */
export interface UnroutedEvent {
  readonly seq: number;
  readonly rule: string | null;
  readonly event: AlertEvent;
}

/**
 * What happened and is to be reported. A row is written in the transaction of its cause where it has one, and else once for each
 * occasion, so a killed replica loses none and two replicas write one.
 */
export class AlertOutbox {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async hasRules(within: Kysely<Tables> = this.#db): Promise<boolean> {
    const row = await asking(() =>
      within.selectFrom('records').select('id').where('kind', '=', 'alert_rule').limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Notes it, if anybody wants to hear of anything. @param within the transaction of what caused it */
  async note(within: Transaction<Tables>, alert: NewAlert): Promise<void> {
    if (await this.hasRules(within)) await insert(within, [alert]);
  }

  /** Notes several, each unless it was noted before. */
  async noteAll(alerts: readonly NewAlert[]): Promise<void> {
    if (alerts.length > 0) await asking(() => insert(this.#db, alerts));
  }

  /** The newest event of one of these types about a subject. */
  async last(
    types: readonly AlertKind[],
    subjectId: string,
    within: Kysely<Tables> = this.#db,
  ): Promise<{ readonly type: string; readonly atMs: number } | undefined> {
    const row = await asking(() =>
      within
        .selectFrom('alert_events')
        .select(['type', 'at_ms'])
        .where('type', 'in', types)
        .where('subject_id', '=', subjectId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
    return row && { type: row.type, atMs: Number(row.at_ms) };
  }

  /** Keeps a time under this name. */
  async setMark(name: string, at_ms: number): Promise<void> {
    await asking(() =>
      this.#db
        .insertInto('alert_marks')
        .values({ name, at_ms })
        .onConflict((it) => it.column('name').doUpdateSet({ at_ms }))
        .execute(),
    );
  }

  async removeMark(name: string): Promise<void> {
    await asking(() => this.#db.deleteFrom('alert_marks').where('name', '=', name).execute());
  }

  /** Until when each rule is muted, by name; those of the past are left out. */
  async mutes(nowMs: number): Promise<ReadonlyMap<string, number>> {
    const rows = await asking(() =>
      this.#db
        .selectFrom('alert_marks')
        .selectAll()
        .where('name', 'like', `${muteOf('')}%`)
        .where('at_ms', '>', nowMs)
        .execute(),
    );
    return new Map(rows.map((it) => [it.name.slice(muteOf('').length), Number(it.at_ms)]));
  }
}

/** The mark that says until when a rule is muted. */
export const muteOf = (rule: string): string => `mute ${rule}`;

/** What describes an alert briefly, and is the same for the same words. */
export const alertId = (...words: readonly string[]): string =>
  createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32);

/** Rows in one statement: databases limit how many values it may have. */
const ROWS = 100;

async function insert(within: Kysely<Tables>, alerts: readonly NewAlert[]): Promise<void> {
  const rows = alerts.map(({ occasion, rule, type, atMs, subject, message, facts }) => {
    const event: AlertEvent = { id: alertId(occasion), type, at: momentOf(atMs), subject, message, facts };
    const body = JSON.stringify(AlertEvent.parse(event));
    return { occasion, rule: rule ?? null, type, subject_id: subject.id, at_ms: atMs, is_routed: 0, body };
  });
  for (let at = 0; at < rows.length; at += ROWS)
    await within
      .insertInto('alert_events')
      .values(rows.slice(at, at + ROWS))
      .onConflict((it) => it.column('occasion').doNothing())
      .execute();
}
