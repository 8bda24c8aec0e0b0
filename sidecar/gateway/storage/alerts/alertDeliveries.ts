import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { Fault } from '../../../platform/faults.ts';
import { AlertEvent, AlertMessage, MESSAGE_EVENTS } from '../../../protocol/gateway/alerts/event.ts';
import type { AlertTables } from '../database/alertTables.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import { alertId, type UnroutedEvent } from './alertOutbox.ts';

type DeliveryRow = Selectable<AlertTables['alert_deliveries']>;

/** A message that waits for its turn. */
export interface WaitingDelivery {
  readonly seq: number;
  readonly id: string;
  readonly target: string;
  readonly attempts: number;
  readonly nextMs: number;
  readonly message: AlertMessage;
}

/** Where one event goes, under one rule. */
export interface Way {
  readonly rule: string;
  readonly targets: readonly string[];
  /** Events of one type within this time become one message. 0: none do */
  readonly groupMs: number;
}

export interface DeliveryQuery {
  readonly state?: DeliveryRow['state'] | undefined;
  readonly target?: string | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
}

/** Any number; all replicas use the same. */
const ROUTE_LOCK = 817_2026;
/** Events of one transaction. */
const ROUTED_AT_ONCE = 200;
/** Nothing that happened before can happen once more, and nobody looks for older messages. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Messages about what happened: those that wait, those that were delivered, and dead letters. */
export class AlertDeliveries {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;

  constructor(db: Kysely<Tables>, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  /**
   * Turns events into messages, in their order. The events are marked in the same transaction, so each one gets its messages once.
   * @param waysOf the rules that report an event
   * @returns whether there may be more
   */
  route(waysOf: (event: UnroutedEvent) => readonly Way[], nowMs: number): Promise<boolean> {
    return asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        // A leader that was replaced may not know it yet.
        if (this.#isShared) await sql`select pg_advisory_xact_lock(${ROUTE_LOCK})`.execute(transaction);
        const rows = await transaction
          .selectFrom('alert_events')
          .select(['seq', 'rule', 'body'])
          .where('is_routed', '=', 0)
          .orderBy('seq')
          .limit(ROUTED_AT_ONCE)
          .execute();
        for (const { seq, rule, body } of rows) {
          const event = AlertEvent.parse(JSON.parse(body));
          for (const way of waysOf({ seq, rule, event }))
            for (const target of way.targets) await addTo(transaction, way, target, event, nowMs);
        }
        const seqs = rows.map((it) => it.seq);
        if (seqs.length > 0)
          await transaction.updateTable('alert_events').set({ is_routed: 1 }).where('seq', 'in', seqs).execute();
        return rows.length === ROUTED_AT_ONCE;
      }),
    );
  }

  async hasWaiting(): Promise<boolean> {
    const row = await asking(() =>
      this.#db.selectFrom('alert_deliveries').select('seq').where('state', '=', 'waiting').limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Targets with a message that is due. */
  async dueTargets(nowMs: number): Promise<readonly string[]> {
    const rows = await asking(() =>
      this.#db
        .selectFrom('alert_deliveries')
        .select('target')
        .distinct()
        .where('state', '=', 'waiting')
        .where('due_ms', '<=', nowMs)
        .execute(),
    );
    return rows.map((it) => it.target);
  }

  /** The message of a target whose turn it is: the others of the target wait for it. */
  async first(target: string, nowMs: number): Promise<WaitingDelivery | undefined> {
    const row = await asking(() =>
      this.#db
        .selectFrom('alert_deliveries')
        .selectAll()
        .where('state', '=', 'waiting')
        .where('target', '=', target)
        .where('due_ms', '<=', nowMs)
        .orderBy('due_ms')
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const { seq, id, attempts, next_ms: nextMs } = row;
    return { seq, id, target, attempts, nextMs, message: messageOf(row) };
  }

  /** The receiver has it. */
  async delivered(id: string, nowMs: number): Promise<void> {
    await this.#set(id, { state: 'delivered', ended_ms: nowMs, error: null });
  }

  /** It was not taken. @param nextMs when it is tried again; absent: it is a dead letter */
  async failed(id: string, attempts: number, error: string, nowMs: number, nextMs?: number): Promise<void> {
    await this.#set(
      id,
      nextMs === undefined ? { state: 'dead', attempts, error, ended_ms: nowMs } : { attempts, error, next_ms: nextMs },
    );
  }

  /** Sends a dead letter again. @throws {Fault} `not_found`; `conflict` for one that is none */
  async resend(id: string, nowMs: number): Promise<void> {
    const row = await asking(() =>
      this.#db.selectFrom('alert_deliveries').select('state').where('id', '=', id).executeTakeFirst(),
    );
    if (!row) throw new Fault('not_found', 'This message does not exist.', { data: { field: 'id' } });
    if (row.state !== 'dead')
      throw new Fault('conflict', 'Only a message that could not be delivered can be sent again.', {
        data: { field: 'id' },
      });
    await asking(() =>
      this.#db
        .updateTable('alert_deliveries')
        .set({ state: 'waiting', attempts: 0, next_ms: 0, due_ms: nowMs, ended_ms: null })
        .where('id', '=', id)
        .where('state', '=', 'dead')
        .execute(),
    );
  }

  /** Newest first. */
  async list(query: DeliveryQuery): Promise<{ readonly rows: readonly DeliveryRow[]; readonly total: number }> {
    let matching = this.#db.selectFrom('alert_deliveries');
    if (query.state !== undefined) matching = matching.where('state', '=', query.state);
    if (query.target !== undefined) matching = matching.where('target', '=', query.target);
    const chosen = matching
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(query.limit)
      .offset(query.offset ?? 0);
    const counted = matching.select((it) => it.fn.countAll<number>().as('count'));
    const { count } = await asking(() => counted.executeTakeFirstOrThrow());
    return { rows: await asking(() => chosen.execute()), total: Number(count) };
  }

  /** Forgets what is old. Messages that wait stay. */
  async tidy(nowMs: number): Promise<void> {
    await asking(async () => {
      await this.#db
        .deleteFrom('alert_events')
        .where('is_routed', '=', 1)
        .where('at_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('alert_deliveries')
        .where('state', '!=', 'waiting')
        .where('created_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('refused_calls')
        .where('started_ms', '<', nowMs - KEPT_MS)
        .execute();
    });
  }

  async #set(id: string, values: Partial<DeliveryRow>): Promise<void> {
    await asking(() =>
      this.#db
        .updateTable('alert_deliveries')
        .set(values)
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute(),
    );
  }
}

/** Of a row that was written here. */
export const messageOf = ({ body }: Pick<DeliveryRow, 'body'>): AlertMessage => AlertMessage.parse(JSON.parse(body));

async function addTo(
  transaction: Transaction<Tables>,
  { rule, groupMs }: Way,
  target: string,
  event: AlertEvent,
  nowMs: number,
): Promise<void> {
  const open =
    groupMs === 0
      ? undefined
      : await transaction
          .selectFrom('alert_deliveries')
          .select(['seq', 'body'])
          .where('state', '=', 'waiting')
          .where('target', '=', target)
          .where('due_ms', '>', nowMs)
          .where('rule', '=', rule)
          .where('type', '=', event.type)
          .executeTakeFirst();
  if (open) {
    const message = messageOf(open);
    const count = message.count + 1;
    const events = message.events.length < MESSAGE_EVENTS ? [...message.events, event] : message.events;
    await transaction
      .updateTable('alert_deliveries')
      .set({ count, body: JSON.stringify({ ...message, count, events }) })
      .where('seq', '=', open.seq)
      .execute();
    return;
  }
  const id = `msg_${alertId(event.id, rule, target)}`;
  const message: AlertMessage = { id, type: event.type, rule, created_at: event.at, count: 1, events: [event] };
  const times = { created_ms: nowMs, due_ms: nowMs + groupMs, next_ms: 0 };
  const facts = { id, target, rule, type: event.type, count: 1, body: JSON.stringify(message) };
  await transaction
    .insertInto('alert_deliveries')
    .values({ ...facts, ...times, state: 'waiting', attempts: 0, ended_ms: null, error: null })
    .onConflict((it) => it.column('id').doNothing())
    .execute();
}
