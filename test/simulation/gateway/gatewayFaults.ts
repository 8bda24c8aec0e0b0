import { endedCall } from '../../../sidecar/gateway/storage/activity/endedCall.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import type { Random } from '../../fuzz/random.ts';
import { callLines } from '../../support/gateway/activityLines.ts';
import type { GatewayFault } from './gatewayFault.ts';
import { type RpcMessage, readMessage } from './simCaller.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A part of the store, with functions that a fault can replace. */
const part = <K extends keyof GatewayStore>(store: GatewayStore, name: K) => {
  const it: Writable<GatewayStore[K]> = store[name];
  return it;
};

/** Changes some of the messages for which `isMeant` holds. */
const messages =
  (isMeant: (message: RpcMessage) => boolean, chance: number, change: (message: RpcMessage) => readonly RpcMessage[]) =>
  (_caller: string, text: string, random: Random): readonly string[] => {
    const message = readMessage(text);
    if (!isMeant(message) || !random.chance(chance)) return [text];
    return change(message).map((it) => JSON.stringify(it));
  };
const isProgress = ({ method }: RpcMessage) => method === 'notifications/progress';
const isAnswer = ({ result }: RpcMessage) => result?.content !== undefined;

/** Gives a caller an earlier message of the other caller, among messages for which `isMeant` holds. */
function swapping(isMeant: (message: RpcMessage) => boolean): NonNullable<GatewayFault['received']> {
  let last: { readonly caller: string; readonly text: string } | undefined;
  return (caller, text, random) => {
    if (!isMeant(readMessage(text))) return [text];
    const before = last;
    last = { caller, text };
    return before && before.caller !== caller && random.chance(0.3) ? [before.text] : [text];
  };
}

const wireFaults: readonly (() => GatewayFault)[] = [
  () => ({
    name: 'an answer has the ID of another call',
    received: messages(isAnswer, 0.05, (it) => [{ ...it, id: Number(it.id) + 1 }]),
  }),
  () => ({ name: 'an answer goes to another caller', received: swapping(isAnswer) }),
  () => ({ name: 'an event is replayed to the session of another caller', received: swapping(isProgress) }),
  () => ({ name: 'an event arrives twice', received: messages(isProgress, 0.1, (it) => [it, it]) }),
  () => ({ name: 'an event gets lost', received: messages(isProgress, 0.2, () => []) }),
  () => ({
    name: 'a list contains tools that may not be called',
    received: messages(
      ({ result }) => result?.tools !== undefined,
      0.3,
      (it) => {
        const tools = [...it.result!.tools!, { name: 'cedar__send' }, { name: 'send' }];
        return [{ ...it, result: { ...it.result, tools } }];
      },
    ),
  }),
];

const storeFaults: readonly (() => GatewayFault)[] = [
  () => ({
    name: 'a cached permission is not dropped when its key changes',
    store(store, random) {
      const changes = part(store, 'changes');
      const { listen } = changes;
      changes.listen = (listener) =>
        listen.call(changes, (kind, id) => void ((kind === 'key' && random.chance(0.5)) || listener(kind, id)));
    },
  }),
  () => ({
    name: 'a revoked key is still accepted, because an earlier read is repeated',
    store(store, random) {
      const keys = part(store, 'key');
      const { get } = keys;
      const known = new Map<string, KeyRecord>();
      keys.get = async (id) => {
        const before = known.get(id);
        if (before && random.chance(0.5)) return before;
        const now = await get.call(keys, id);
        if (now) known.set(id, now);
        return now;
      };
    },
  }),
  () => ({
    name: 'a part of a budget is reserved twice',
    store(store) {
      const reservations = part(store, 'reservations');
      const { lease } = reservations;
      reservations.lease = async (ask) => {
        const given = await lease.call(reservations, ask);
        await reservations.giveBack(ask.holder, [ask.counter]);
        return given;
      };
    },
  }),
  () => ({
    name: 'a budget allows twice its limit',
    store(store) {
      const reservations = part(store, 'reservations');
      const { lease } = reservations;
      reservations.lease = (ask) => lease.call(reservations, { ...ask, max: ask.max * 2 });
    },
  }),
  () => ({
    name: 'a record gets lost',
    store(store, random) {
      const writes = part(store, 'activityWrites');
      const { write } = writes;
      writes.write = (batch) => {
        const kept = [...batch.lines.own.keys()].filter(() => !random.chance(0.05));
        return write.call(writes, { ...batch, lines: callLines(kept.map((at) => endedCall(batch.lines.read(at)))) });
      };
    },
  }),
  () => ({
    name: 'the end of a session is forgotten',
    store(store) {
      const sessions = part(store, 'endedSessions');
      sessions.has = async () => false;
      sessions.listen = () => undefined;
    },
  }),
];

const databaseFaults: readonly (() => GatewayFault)[] = [
  () => ({
    name: 'the sums of a day are added up twice',
    statement: (it, random) =>
      it.sql.startsWith('insert into "daily_activity"') && random.chance(0.1) ? [it, it] : [it],
  }),
  () => ({
    name: 'spend is not counted',
    statement: (it, random) =>
      it.sql.startsWith('update "budget_counters"') && random.chance(0.1)
        ? [{ sql: 'select 1', parameters: [] }]
        : [it],
  }),
  () => ({
    name: 'an acknowledged change is not written',
    statement: (it, random) =>
      it.sql.startsWith('update "records"') && random.chance(0.1) ? [{ sql: 'select 1', parameters: [] }] : [it],
  }),
  () => ({
    name: 'some changes of another replica are missed',
    result: ({ sql }, result, random) =>
      sql.startsWith('select "seq", "kind", "id" from "changes"')
        ? { ...result, rows: result.rows.filter(() => !random.chance(0.3)) }
        : result,
  }),
];

/** The faults that the simulation of the gateway must find. Functions, because faults can have a state. */
export const gatewayFaults: readonly (() => GatewayFault)[] = [...wireFaults, ...storeFaults, ...databaseFaults];
