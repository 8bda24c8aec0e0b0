import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TurnEvent } from '../../../../../../../sidecar/agents/provider.ts';
import { type LimitReset, UsageLimitReached } from '../../../../../../../sidecar/agents/usageLimits.ts';
import type { Store } from '../../../../../../../sidecar/host/state/store.ts';
import { Parking } from '../../../../../../../sidecar/host/turns/limits/parking/parking.ts';
import { type Clock, momentOf } from '../../../../../../../sidecar/platform/clock.ts';
import type { ChatAction } from '../../../../../../../sidecar/protocol/channels/chat/actions.ts';
import { parkedOf, USAGE_LIMITED } from '../../../../../../../sidecar/protocol/channels/session/parked.ts';
import type { AnyAction } from '../../../../../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from '../../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace } from '../../../../../../support/host/hostPlace.ts';
import { ManualTimers } from '../../../../../../support/manualTimers.ts';
import { scriptedProvider } from '../../../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../../../support/verifies.ts';

const HOUR_MS = 3_600_000;
const LOOK_MS = 60_000;
const START_MS = Date.parse('2026-03-02T10:00:00.000Z');

describe('an agent that reached a usage limit', () => {
  let place: HostPlace;
  let timers: ManualTimers;
  let peer: HostPeer;
  let nowMs: number;
  /** Prompts that reached the agent. */
  let prompts: string[];
  /** What the agent does next, the first one first; then it answers. */
  let fails: (LimitReset | 'unstated' | 'afterTool')[];

  beforeEach(async () => {
    [timers, nowMs, prompts, fails] = [new ManualTimers(), START_MS, [], []];
    const clock: Clock = { nowMs: () => nowMs, now: () => momentOf(nowMs), monotonicMs: () => nowMs };
    const provider = scriptedProvider(async function* ({ text }, host): AsyncGenerator<TurnEvent> {
      prompts.push(text);
      if (text === 'delegate') {
        yield { kind: 'toolStarted', toolCallId: 'd', toolName: 'delegate', displayName: 'Delegate' };
        const { error } = await host.delegate({ toolCallId: 'd', title: 'Part', text: 'part', model: 'm' });
        yield { kind: 'toolEnded', toolCallId: 'd', success: false, pastTenseMessage: `Heard: ${error}`, content: [] };
        return;
      }
      const how = fails.shift();
      if (how === 'afterTool') {
        yield { kind: 'toolStarted', toolCallId: 'c', toolName: 'think', displayName: 'Think' };
        yield { kind: 'toolEnded', toolCallId: 'c', success: true, pastTenseMessage: 'Thought', content: [] };
      }
      const reset = typeof how === 'object' ? how : undefined;
      if (how) throw new UsageLimitReached('Scripted', 'Try later.', reset, undefined);
      yield { kind: 'text', partId: 'p', text: 'done' };
    });
    place = await openHostPlace([provider], { timers, clock });
    peer = await place.connect();
  });
  afterEach(async () => {
    timers.close();
    await place.close();
  });

  async function park(how: LimitReset | 'unstated' | 'afterTool' = { inMs: HOUR_MS }) {
    const made = await peer.newSession();
    fails.push(how);
    const turn = await peer.ended(made.chat, await peer.prompt(made.chat, 'go'));
    await peer.until(() => parkedIn(made) !== undefined, 'the chat is parked');
    return { ...made, turn };
  }
  const parkedIn = ({ session, chat }: { session: string; chat: string }, at = peer) =>
    parkedOf(at.session(session)._meta, chat);
  /** The clock shows a later time, and what waits for it looks. */
  function pass(ms: number, waitMs = Math.min(ms, LOOK_MS)): void {
    nowMs += ms;
    timers.pass(waitMs);
  }
  const resumed = (chat: string, at = peer) =>
    at.until(() => at.chat(chat).turns.length === 2 && !at.chat(chat).activeTurn, 'the message was sent again');
  async function reopen(chat: string, session: string, clientId: string): Promise<void> {
    peer = await place.connect(clientId);
    await peer.subscribe(session);
    await peer.subscribe(chat);
  }

  it('is not parked as a sub-agent: the agent that delegated is told', async () => {
    const { session, chat } = await peer.newSession();
    await peer.subscribe(session);
    prompts = [];
    const turnId = await peer.prompt(chat, 'delegate');
    fails.push({ inMs: HOUR_MS });
    const turn = await peer.ended(chat, turnId);
    assert.deepEqual([prompts, turn.state], [['delegate', 'part'], 'complete']);
    assert.match(JSON.stringify(turn.responseParts), /Heard: .*Try later/);
    const own = peer.session(session).chats.find((it) => it.origin?.kind === 'tool')?.resource ?? '';
    assert.equal(parkedIn({ session, chat: own }), undefined);
  });

  it('is parked until the limit ends, with its message at the head of the queue, and then goes on by itself', async () => {
    verifies('host.limits.parked');
    const made = await park();
    const { turn, chat } = made;
    assert.deepEqual([turn.state, turn.error?.errorType], ['error', USAGE_LIMITED]);
    const queue = peer.chat(chat).queuedMessages ?? [];
    assert.deepEqual(
      queue.map((it) => it.message.text),
      ['go'],
    );
    assert.deepEqual(parkedIn(made), { until: momentOf(START_MS + HOUR_MS), message: queue[0]?.id });
    pass(HOUR_MS - 1);
    await peer.act(chat, { type: 'chat/draftChanged' });
    assert.deepEqual(prompts, ['go']);
    pass(1, 1);
    await resumed(chat);
    assert.deepEqual([prompts, parkedIn(made), peer.chat(chat).queuedMessages], [['go', 'go'], undefined, undefined]);
  });

  it('sends the message once after a restart of the host, however often its windows come back', async () => {
    verifies('host.limits.parked-once');
    const { session, chat } = await park();
    await place.restart();
    await reopen(chat, session, 'c2');
    assert.equal(peer.chat(chat).queuedMessages?.length, 1);
    pass(HOUR_MS);
    await resumed(chat);
    await reopen(chat, session, 'c3');
    pass(HOUR_MS);
    await place.restart();
    await reopen(chat, session, 'c4');
    assert.deepEqual([prompts, peer.chat(chat).turns.length], [['go', 'go'], 2]);
  });

  it('is resumed when a window comes, if its limit ended while no host was running', async () => {
    const { session, chat } = await park();
    nowMs += 2 * HOUR_MS;
    await place.restart();
    assert.deepEqual(prompts, ['go']);
    await reopen(chat, session, 'c2');
    await resumed(chat);
    assert.deepEqual(prompts, ['go', 'go']);
  });

  it('goes on as soon as a person sends the message, and refuses the same message from a second window', async () => {
    verifies('host.limits.parked-once');
    const made = await park();
    const { chat } = made;
    const [waiting] = peer.chat(chat).queuedMessages ?? [];
    const now = (turnId: string): ChatAction => ({
      type: 'chat/turnStarted',
      turnId,
      message: waiting!.message,
      queuedMessageId: waiting!.id,
    });
    await peer.act(chat, now('t1'));
    await resumed(chat);
    assert.match((await peer.act(chat, now('t2'))).rejectionReason ?? '', /message not found/);
    pass(HOUR_MS);
    await peer.act(chat, { type: 'chat/draftChanged' });
    assert.deepEqual([prompts, parkedIn(made)], [['go', 'go'], undefined]);
  });

  it('is no longer parked when its message is removed, and sends nothing later', async () => {
    const made = await park();
    const { chat } = made;
    const id = parkedIn(made)?.message ?? '';
    const removed: ChatAction = { type: 'chat/pendingMessageRemoved', kind: 'queued', id };
    await peer.act(chat, removed);
    await peer.until(() => parkedIn(made) === undefined, 'the chat is not parked');
    pass(HOUR_MS);
    await place.restart();
    await reopen(chat, made.session, 'c2');
    assert.deepEqual([prompts, peer.chat(chat).turns.length], [['go'], 1]);
  });

  it('keeps other messages waiting behind the one that was refused', async () => {
    const made = await park();
    const { chat } = made;
    const order = peer.chat(chat).queuedMessages?.map((it) => it.id) ?? [];
    fails.push({ inMs: HOUR_MS });
    await peer.prompt(chat, 'more');
    await peer.until(() => peer.chat(chat).queuedMessages?.length === 2, 'both messages wait');
    assert.deepEqual(
      peer.chat(chat).queuedMessages?.map((it) => it.message.text),
      ['more', 'go'],
    );
    assert.equal(peer.chat(chat).queuedMessages?.[1]?.id, order[0]);
    pass(HOUR_MS);
    await peer.until(() => prompts.length === 4, 'both messages are sent');
    assert.deepEqual(prompts, ['go', 'more', 'more', 'go']);
  });

  it('is asked to continue, and not given its task again, if tools ran already', async () => {
    verifies('host.limits.parked-once');
    const { chat } = await park('afterTool');
    const [waiting] = peer.chat(chat).queuedMessages ?? [];
    assert.match(waiting?.message.text ?? '', /^The usage limit has ended\. Continue/);
  });

  it('waits twice as long each time that no end is stated', async () => {
    const made = await park('unstated');
    assert.equal(parkedIn(made)?.until, momentOf(START_MS + HOUR_MS / 4));
    fails.push('unstated');
    pass(HOUR_MS / 4);
    const twice = momentOf(nowMs + HOUR_MS / 2);
    await peer.until(() => parkedIn(made)?.until === twice, 'the chat is parked for longer');
  });

  it('stays parked while no window has the agent, and goes on when one comes', async () => {
    const { session, chat } = await park();
    await place.restart();
    pass(HOUR_MS);
    assert.deepEqual(prompts, ['go']);
    peer = await place.connect('untrusted', { trusted: false });
    await peer.subscribe(session);
    await peer.subscribe(chat);
    pass(LOOK_MS);
    assert.deepEqual([prompts, peer.chat(chat).turns.length], [['go'], 1]);
    await place.connect('trusted');
    pass(LOOK_MS);
    await resumed(chat);
  });
});

it('a chat whose message was sent right before its host was killed is parked no longer', () => {
  const parked = (message: string) => ({ until: momentOf(START_MS + HOUR_MS), message });
  const [sent, waits] = ['ahp-chat:/sent', 'ahp-chat:/waits'];
  const states: Record<string, object> = {
    session: { _meta: { parked: { [sent]: parked('one'), [waits]: parked('two') } } },
    [sent]: { queuedMessages: [{ id: 'other' }] },
    [waits]: { queuedMessages: [{ id: 'two' }] },
  };
  const committed: AnyAction[] = [];
  let known = JSON.stringify([sent, waits]);
  const timers = new ManualTimers();
  const parking = new Parking({
    store: {
      state: (_kind: string, channel: string) => states[channel],
      metadata: () => ({ session: 'session' }),
      commit: (_channel: string, action: AnyAction) => committed.push(action),
      writeRows: (write: () => void) => write(),
    } as unknown as Store,
    storage: { small: { text: () => known, putText: (_key: string, text: string) => (known = text) } } as never,
    clock: { nowMs: () => START_MS, now: () => momentOf(START_MS), monotonicMs: () => START_MS },
    timers,
    newId: () => 'new',
  });
  parking.begin(() => undefined);
  parking.end();
  assert.deepEqual(committed, [{ type: 'session/metaChanged', _meta: { parked: { [waits]: parked('two') } } }]);
  assert.deepEqual(JSON.parse(known), [waits]);
});
