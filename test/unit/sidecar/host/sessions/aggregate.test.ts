import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { aggregate } from '../../../../../sidecar/host/sessions/aggregate.ts';
import type { Change } from '../../../../../sidecar/host/state/typedChannels.ts';
import { reduceChat } from '../../../../../sidecar/protocol/channels/chat/reducer.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { reduceSession } from '../../../../../sidecar/protocol/channels/session/reducer.ts';
import {
  type SessionAction,
  SessionInputRequest,
  type SessionState,
} from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, status } from '../../../../../sidecar/protocol/status.ts';
import { chatAction, emptyChat, emptySession } from '../../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../../support/verifies.ts';

const uri = emptyChat.resource;
const context = { now: '2026-02-02T00:00:00Z' };
const base = { toolName: 'n', displayName: 'd', invocationMessage: 'i' };
const client = { kind: 'client' as const, clientId: 'c1' };
const resource = { reason: 'required', resource: { resource: 'https://x' } };

/** The session after its chat became another one. */
function settle(session: SessionState, before: ChatState, after: ChatState): SessionState {
  const change = {
    kind: 'chat',
    channel: uri,
    action: { type: 'chat/turnStarted', message: { text: '' } },
    before,
    after,
  };
  const metadata = { session: 'host-session:/s' };
  const derived = aggregate({ ...change, metadata } as unknown as Change, {
    session: () => undefined,
    usage: () => undefined,
    isWatched: () => true,
  });
  return derived.reduce(
    (it, one) => ('action' in one && isInput(one.action) ? reduceSession(it, one.action) : it),
    session,
  );
}
const isInput = (action: unknown): action is SessionAction =>
  (action as SessionAction | undefined)?.type.startsWith('session/inputNeeded') === true;
const inputNeededOf = (state: Pick<ChatState, 'activeTurn'>) =>
  settle(emptySession, emptyChat, { ...emptyChat, ...state }).inputNeeded ?? [];

describe('what of a chat waits for a client', () => {
  it('lists what waits, by kind, in the order of the turn', () => {
    verifies('host.session.input-needed');
    const activeTurn = {
      id: 't1',
      startedAt: context.now,
      message: { text: '', origin: { kind: 'user' } },
      responseParts: [
        { kind: 'inputRequest' as const, request: { id: 'q1' } },
        { kind: 'inputRequest' as const, request: { id: 'q2' }, response: 'accept' as const },
        { kind: 'toolCall' as const, toolCall: { ...base, toolCallId: 'a', status: 'pending-confirmation' as const } },
        {
          kind: 'toolCall' as const,
          toolCall: { ...base, toolCallId: 'b', status: 'running' as const, confirmed: 'setting' as const },
        },
        {
          kind: 'toolCall' as const,
          toolCall: {
            ...base,
            toolCallId: 'c',
            status: 'running' as const,
            confirmed: 'setting' as const,
            contributor: client,
          },
        },
        {
          kind: 'toolCall' as const,
          toolCall: {
            ...base,
            toolCallId: 'd',
            status: 'auth-required' as const,
            confirmed: 'setting' as const,
            auth: resource,
            contributor: { kind: 'mcp' as const, customizationId: 'm' },
          },
        },
      ],
    };
    const found = inputNeededOf({ activeTurn });
    for (const it of found) SessionInputRequest.parse(it);
    assert.deepEqual(
      found.map((it) => [it.kind, it.chat, 'toolCall' in it ? it.toolCall.toolCallId : it.request.id]),
      [
        ['chatInput', uri, 'q1'],
        ['toolConfirmation', uri, 'a'],
        ['toolClientExecution', uri, 'c'],
        ['toolAuthentication', uri, 'd'],
      ],
    );
    assert.equal(new Set(found.map((it) => it.id)).size, 4);
    assert.deepEqual(inputNeededOf({ activeTurn }), found, 'ids are the same every time');
  });

  it('needs input, apart from clients that run a tool, exactly when the chat says so', () => {
    fc.assert(
      fc.property(fc.array(chatAction, { maxLength: 60, size: 'max' }), (actions) => {
        const state = actions.reduce((it, action) => reduceChat(it, action, context), emptyChat);
        assert.equal(inputNeededOf(state).length > 0, activityOf(state.status) === status.InputNeeded);
      }),
    );
  });
});

describe('the open requests of a session', () => {
  it('follow those of the chat, and leave other chats alone', () => {
    fc.assert(
      fc.property(fc.array(chatAction, { maxLength: 60, size: 'max' }), (actions) => {
        const other = { kind: 'chatInput' as const, id: 'other', chat: 'host-chat:/z', request: { id: 'q' } };
        let session: SessionState = { ...emptySession, inputNeeded: [other] };
        let chat = emptyChat;
        for (const action of actions) {
          const before = chat;
          chat = reduceChat(chat, action, context);
          session = settle(session, before, chat);
          assert.deepEqual(new Set(session.inputNeeded), new Set([other, ...inputNeededOf(chat)]));
        }
      }),
    );
  });
});
