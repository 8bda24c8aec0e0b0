import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { channelOf } from '../../../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../../../sidecar/protocol/channels/judgeAction.ts';
import type { ActionEnvelope, AnyAction } from '../../../../sidecar/protocol/envelope.ts';
import { ChannelMirror } from '../../../../src/client/mirror.ts';
import { chatAction, emptyChat, emptySession, sessionAction } from '../../../support/protocol/arbitraryActions.ts';
import {
  annotationsAction,
  changesetAction,
  emptyChangeset,
  emptyRoot,
  emptyTerminal,
  rootAction,
  terminalAction,
} from '../../../support/protocol/arbitraryThingActions.ts';

const clientIds = ['a', 'b'] as const;
type Who = (typeof clientIds)[number];
interface Sent {
  readonly clientSeq: number;
  readonly action: AnyAction;
}
interface Peer {
  readonly mirror: ChannelMirror<unknown>;
  readonly toHost: Sent[];
  readonly fromHost: ActionEnvelope[];
  /** What this client sent and has not heard of. */
  pending: number;
}

/** What may happen next. Where there is nothing to take or to deliver it is nothing. */
const event = (action: fc.Arbitrary<AnyAction>) => {
  const who = fc.constantFrom(...clientIds);
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant('send' as const), who, action }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('host' as const), action }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('take' as const), who, isRefused: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('deliver' as const), who }) },
  );
};
type Event = ReturnType<typeof event> extends fc.Arbitrary<infer T> ? T : never;

/** A host of one channel with two clients, each direction a queue: messages wait as long as the test likes. */
function play(uri: string, start: unknown, events: readonly Event[]): { host: unknown; peers: readonly Peer[] } {
  const channel = channelOf(uri) ?? assert.fail(uri);
  let seq = 0;
  let time = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1) + (time += 1)).toISOString();
  let state = start;
  const peers = Object.fromEntries(
    clientIds.map((clientId) => {
      const mirror = new ChannelMirror<unknown>({ uri, clientId, now });
      mirror.reset({ state: start, fromSeq: 0 });
      return [clientId, { mirror, toHost: [], fromHost: [], pending: 0 } as Peer];
    }),
  ) as Record<Who, Peer>;
  let sent = 0;

  function commit(action: AnyAction, origin?: { clientId: Who; clientSeq: number }, rejectionReason?: string): void {
    const at = now();
    seq += 1;
    const envelope = { channel: uri, action, serverSeq: seq, ...(origin && { origin }), _meta: { at } };
    if (rejectionReason !== undefined) {
      peers[origin?.clientId ?? 'a'].fromHost.push({ ...envelope, rejectionReason });
      return;
    }
    const reduced: unknown = channel.reduce(state, action, { now: at });
    state = channel.settle ? channel.settle(reduced) : reduced;
    for (const it of clientIds) peers[it].fromHost.push(envelope);
  }
  function take(who: Who, isRefused: boolean): void {
    const next = peers[who].toHost.shift();
    if (next) commit(next.action, { clientId: who, clientSeq: next.clientSeq }, isRefused ? 'not now' : undefined);
  }
  function deliver(who: Who): void {
    const next = peers[who].fromHost.shift();
    if (!next) return;
    assert.notEqual(peers[who].mirror.receive(next), 'needsSnapshot');
    if (next.origin?.clientId === who) peers[who].pending -= 1;
  }

  for (const it of events) {
    if (it.what === 'host') commit(it.action);
    else if (it.what === 'take') take(it.who, it.isRefused);
    else if (it.what === 'deliver') deliver(it.who);
    else {
      const clientSeq = (sent += 1);
      peers[it.who].mirror.expect(clientSeq, it.action);
      peers[it.who].toHost.push({ clientSeq, action: it.action });
      peers[it.who].pending += 1;
    }
  }
  for (const who of clientIds) while (peers[who].toHost.length > 0) take(who, false);
  for (const who of clientIds) while (peers[who].fromHost.length > 0) deliver(who);
  return { host: state, peers: Object.values(peers) };
}

describe('two clients of one channel, each with actions that the host has not answered', () => {
  const channels: readonly [uri: string, start: unknown, action: fc.Arbitrary<AnyAction>][] = [
    ['host-root://', emptyRoot, rootAction],
    ['host-session:/1', emptySession, sessionAction],
    ['host-chat:/a', emptyChat, chatAction],
    ['host-terminal:/1', emptyTerminal, terminalAction],
    ['host-changeset:/1/session', emptyChangeset, changesetAction],
    ['host-session:/1/annotations', { annotations: [] }, annotationsAction],
  ];
  for (const [uri, start, action] of channels) {
    it(`${uri}: both mirrors equal the host in the end, whatever waited for what and was refused`, () => {
      const sendable = action.filter((it) => judgeAction(channelOf(uri) ?? assert.fail(uri), it).verdict === 'ok');
      fc.assert(
        fc.property(fc.array(event(sendable), { maxLength: 80, size: 'max' }), (events) => {
          const { host, peers } = play(uri, start, events);
          for (const { mirror, pending } of peers) {
            assert.equal(pending, 0, 'every dispatch was answered');
            assert.deepEqual(mirror.confirmed, host);
            assert.deepEqual(mirror.shown, host, 'nothing is expected any more');
          }
        }),
      );
    });
  }
});
