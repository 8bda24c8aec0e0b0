import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { playNext } from '../../../../../sidecar/host/effects/queue.ts';
import { recover } from '../../../../../sidecar/host/effects/recover.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const startedAt = '2026-01-01T00:00:00.000Z';

/** What a host that was killed, or a chat that goes, left in the store. */
describe('what was left behind', () => {
  let states: Record<string, object>;
  let committed: (readonly [channel: string, type: string, more?: unknown])[];
  let removed: string[];
  let unlisted: string[];
  let askedBefore: string;
  let clock: StandingClock;
  beforeEach(() => {
    [states, committed, removed, unlisted, askedBefore] = [{}, [], [], [], ''];
    clock = new StandingClock('2026-01-01T00:01:00.000Z');
  });
  const deps = () => {
    const store = {
      state: (_kind: string, channel: string) => states[channel],
      commit: (channel: string, { type, ...more }: AnyAction) => {
        const { error, duration, _meta, id, clientId } = more as Record<string, { errorType?: string } | undefined>;
        const said = error?.errorType ? [error.errorType, duration] : (_meta ?? id ?? clientId);
        committed.push(said === undefined ? [channel, type] : [channel, type, said]);
      },
      remove: (channel: string) => {
        removed.push(channel);
        delete states[channel];
      },
      flush: () => removed.push('flushed'),
    };
    const storage = {
      chats: {
        running: () => ['chat'],
        ofSession: (session: string) => [`chat of ${session}`],
        numberOfTurn: () => undefined,
      },
      sessions: {
        busy: () => ['session'],
        folders: () => [],
        unlistedBefore: (before: string) => {
          askedBefore = before;
          return unlisted;
        },
      },
    };
    return {
      store,
      storage,
      clock,
      changes: { recover: () => undefined },
      newId: () => 'new',
    } as unknown as EffectDeps;
  };

  it('by a turn that ran ends as an error that says so, and nobody is said to work or to be silent any more', () => {
    states = {
      chat: { activeTurn: { id: 't', startedAt }, activity: 'Scripted has not responded for a minute.', turns: [] },
      session: { lifecycle: 'ready', chats: [], _meta: { problem: { kind: 'agentSilent' }, other: 1 } },
    };
    recover(deps());
    assert.deepEqual(committed, [
      ['chat', 'chat/activityChanged'],
      ['chat', 'chat/error', ['interrupted', 60_000]],
      ['session', 'session/metaChanged', { other: 1 }],
    ]);
  });

  it('of a session that waited for its agent, for people and for programs waits no more', () => {
    states = {
      session: {
        lifecycle: 'creating',
        chats: [],
        inputNeeded: [{ id: 'one' }, { id: 'two' }],
        activeClients: [{ clientId: 'c1' }],
        _meta: { problem: { kind: 'agentMissing', message: 'x' } },
      },
    };
    recover(deps());
    assert.deepEqual(committed, [
      ['session', 'session/inputNeededRemoved', 'one'],
      ['session', 'session/inputNeededRemoved', 'two'],
      ['session', 'session/activeClientRemoved', 'c1'],
      ['session', 'session/ready'],
    ]);
  });

  it('of sessions that nobody sent anything in goes after a week, with their chats', () => {
    states = { old: { chats: [] } };
    unlisted = ['old'];
    recover(deps());
    assert.equal(askedBefore, '2025-12-25T00:01:00.000Z');
    assert.deepEqual(removed, ['chat of old', 'old', 'flushed']);
  });

  it('in the queue of a chat begins no turn while that chat is disposed of', () => {
    const message = { text: 'next', origin: { kind: 'user' } };
    for (const isLeaving of [true, false]) {
      states = { chat: { turns: [], queuedMessages: [{ id: 'q', message }] } };
      const parking = { holds: () => false, isParked: () => false, leave: () => undefined };
      playNext({ effectDeps: { ...deps(), parking }, sessions: { isLeaving: () => isLeaving } } as never, 'chat');
      assert.deepEqual(
        committed.map(([, type]) => type),
        isLeaving ? [] : ['chat/pendingMessageRemoved', 'chat/turnStarted'],
      );
    }
  });
});
