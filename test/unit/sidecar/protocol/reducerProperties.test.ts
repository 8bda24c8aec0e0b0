import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { annotationsChannel } from '../../../../sidecar/protocol/channels/annotations/channel.ts';
import { changesetChannel } from '../../../../sidecar/protocol/channels/changeset/channel.ts';
import { type ChatAction, chatActions } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import { chatChannel } from '../../../../sidecar/protocol/channels/chat/channel.ts';
import type { ActiveTurn, ChatState } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { ChannelDefinition } from '../../../../sidecar/protocol/channels/defineChannel.ts';
import { channels } from '../../../../sidecar/protocol/channels/index.ts';
import { judgeAction } from '../../../../sidecar/protocol/channels/judgeAction.ts';
import { sessionChannel } from '../../../../sidecar/protocol/channels/session/channel.ts';
import { sessionActions } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { terminalChannel } from '../../../../sidecar/protocol/channels/terminal/channel.ts';
import { settleSession } from '../../../../sidecar/protocol/settleSession.ts';
import { activityOf, status } from '../../../../sidecar/protocol/status.ts';
import { chatAction, emptyChat, emptySession, sessionAction } from '../../../support/protocol/arbitraryActions.ts';
import {
  annotationsAction,
  changesetAction,
  emptyChangeset,
  emptyTerminal,
  terminalAction,
} from '../../../support/protocol/arbitraryThingActions.ts';

const context = { now: '2026-02-02T00:00:00Z' };
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 60, size: 'max' });

function laws<S, A extends { type: string }>(channel: ChannelDefinition<S, A>, start: S, one: fc.Arbitrary<A>): void {
  describe(`the ${channel.kind} reducer`, () => {
    it('never changes its input and only makes states that its schema allows', () => {
      fc.assert(
        fc.property(many(one), (actions) => {
          let state = deepFreeze(structuredClone(start));
          for (const action of actions) {
            assert.deepEqual(judgeAction(channel, action), { verdict: 'ok' });
            state = deepFreeze(channel.reduce(state, deepFreeze(action), context));
          }
          channel.state.parse(state);
          assert.deepEqual(JSON.parse(JSON.stringify(state)), state, 'a cleared field is an absent key');
        }),
      );
    });

    it('makes the same state whatever the order of keys', () => {
      fc.assert(
        fc.property(many(one), (actions) => {
          const straight = actions.reduce((state, it) => channel.reduce(state, it, context), start);
          const turned = actions.reduce((state, it) => reversed(channel.reduce(state, reversed(it), context)), start);
          assert.deepEqual(turned, straight);
        }),
      );
    });
  });
}

laws(chatChannel, emptyChat, chatAction);
laws(sessionChannel, emptySession, sessionAction);
laws(terminalChannel, emptyTerminal, terminalAction);
laws(annotationsChannel, { annotations: [] }, annotationsAction);
laws(changesetChannel, emptyChangeset, changesetAction);

describe('generated actions', () => {
  it('cover every action type', () => {
    const types = (one: fc.Arbitrary<{ type: string }>) => new Set(fc.sample(one, 3_000).map((it) => it.type));
    assert.deepEqual([...types(chatAction)].toSorted(), Object.keys(chatActions).toSorted());
    assert.deepEqual([...types(sessionAction)].toSorted(), Object.keys(sessionActions).toSorted());
    assert.deepEqual([...types(terminalAction)].toSorted(), Object.keys(terminalChannel.actions).toSorted());
    assert.deepEqual([...types(annotationsAction)].toSorted(), Object.keys(annotationsChannel.actions).toSorted());
    assert.deepEqual([...types(changesetAction)].toSorted(), Object.keys(changesetChannel.actions).toSorted());
  });
});

describe('a chat', () => {
  it('ignores what is said about a turn that is not active, as the same object', () => {
    fc.assert(
      fc.property(many(chatAction), chatAction, (actions, late) => {
        const state = reduceAll(emptyChat, actions);
        const isTurnScoped = 'turnId' in late && late.type !== 'chat/turnStarted' && late.type !== 'chat/truncated';
        fc.pre(isTurnScoped && state.activeTurn?.id !== late.turnId);
        assert.equal(chatChannel.reduce(state, late, context), state);
      }),
    );
  });

  it('moves tool calls along the listed transitions only', () => {
    fc.assert(
      fc.property(many(chatAction), (actions) => {
        let state = emptyChat;
        for (const action of actions) {
          const next = chatChannel.reduce(state, action, context);
          for (const [id, before, after] of moves(state.activeTurn, next, action)) {
            const move = `${before} -> ${after}`;
            assert.ok(before === after || allowed[action.type]?.includes(move), `${action.type}: ${id} ${move}`);
          }
          state = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('shows the activity of its active turn, and an error only right after one', () => {
    fc.assert(
      fc.property(many(chatAction), (actions) => {
        let state = emptyChat;
        let failed = false;
        for (const action of actions) {
          const next = chatChannel.reduce(state, action, context);
          if (next.activeTurn !== state.activeTurn || action.type === 'chat/truncated') {
            failed = action.type === 'chat/error' || (failed && next === state);
          }
          state = next;
          assert.equal(activityOf(state.status), failed ? status.Error : expectedActivity(state.activeTurn));
        }
      }),
    );
  });
});

describe('a session', () => {
  it('settles once: settling again answers the same object', () => {
    fc.assert(
      fc.property(many(sessionAction), (actions) => {
        const state = actions.reduce(
          (it, action) => settleSession(sessionChannel.reduce(it, action, context)),
          emptySession,
        );
        assert.equal(settleSession(state), state);
        assert.equal(activityOf(state.status) === status.InputNeeded, needsInput(state), 'the list and the bit agree');
      }),
    );
  });
});

describe('rights', () => {
  it('of clients name actions that are there, 40 of 87', () => {
    for (const channel of channels) {
      assert.deepEqual(
        [...channel.clientMay].filter((it) => !Object.hasOwn(channel.actions, it)),
        [],
      );
    }
    assert.equal(
      channels.reduce((sum, it) => sum + it.clientMay.size, 0),
      40,
    );
    assert.deepEqual(
      channels.map((it) => [it.kind, Object.keys(it.actions).length]),
      [
        ['root', 4],
        ['annotations', 5],
        ['session', 27],
        ['chat', 31],
        ['terminal', 11],
        ['changeset', 8],
        ['resourceWatch', 1],
      ],
    );
  });
});

const open = ['streaming', 'running', 'pending-confirmation'];
const skip = [...open, 'auth-required', 'pending-result-confirmation'].map((it) => `${it} -> cancelled`);
/** The moves of a tool call that the protocol allows, written by hand. */
const allowed: Partial<Record<ChatAction['type'], readonly string[]>> = {
  'chat/toolCallReady': open.flatMap((it) => [`${it} -> pending-confirmation`, `${it} -> running`]),
  'chat/toolCallConfirmed': ['pending-confirmation -> running', 'pending-confirmation -> cancelled'],
  'chat/toolCallAuthRequired': ['running -> auth-required'],
  'chat/toolCallAuthResolved': ['auth-required -> running'],
  'chat/toolCallComplete': [
    'auth-required -> completed',
    'running -> completed',
    'running -> pending-result-confirmation',
    'pending-confirmation -> completed',
    'pending-confirmation -> pending-result-confirmation',
  ],
  'chat/toolCallResultConfirmed': [
    'pending-result-confirmation -> completed',
    'pending-result-confirmation -> cancelled',
  ],
  'chat/turnComplete': skip,
  'chat/turnCancelled': skip,
  'chat/error': skip,
};

/** These drop the active turn with its calls. */
const dropsTurn: ReadonlySet<string> = new Set(['chat/turnStarted', 'chat/truncated']);

function moves(before: ActiveTurn | undefined, next: ChatState, action: ChatAction): [string, string, string][] {
  const after = next.activeTurn?.id === before?.id ? next.activeTurn : next.turns.at(-1);
  if (!before || after?.id !== before.id || dropsTurn.has(action.type)) return [];
  const now = calls(after);
  return [...calls(before)].flatMap(([id, from]) => [[id, from, now.get(id) ?? 'gone']]);
}
function calls(turn: Pick<ActiveTurn, 'responseParts'>): Map<string, string> {
  const parts = turn.responseParts.flatMap((it) => (it.kind === 'toolCall' ? [it.toolCall] : []));
  return new Map(parts.map((it) => [it.toolCallId, it.status]));
}

function expectedActivity(turn: ActiveTurn | undefined): number {
  if (!turn) return status.Idle;
  const waiting = ['pending-confirmation', 'pending-result-confirmation', 'auth-required'];
  const asks = [...calls(turn).values()].some((it) => waiting.includes(it));
  const questions = turn.responseParts.some((it) => it.kind === 'inputRequest' && it.response === undefined);
  return asks || questions ? status.InputNeeded : status.InProgress;
}

function needsInput(state: typeof emptySession): boolean {
  return state.inputNeeded !== undefined || state.chats.some((it) => activityOf(it.status) === status.InputNeeded);
}

function reduceAll(start: ChatState, actions: readonly ChatAction[]): ChatState {
  return actions.reduce((state, it) => chatChannel.reduce(state, it, context), start);
}

function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, it]) => [key, reversed(it)]),
  ) as T;
}
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(Object.freeze(value)).forEach(deepFreeze);
  }
  return value;
}
