import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { reduceChat } from '../../../../sidecar/protocol/channels/chat/reducer.ts';
import { reduceSession } from '../../../../sidecar/protocol/channels/session/reducer.ts';
import { SessionInputRequest } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { inputNeededActions, inputNeededOf } from '../../../../sidecar/protocol/inputNeeded.ts';
import { activityOf, status } from '../../../../sidecar/protocol/status.ts';
import { chatAction, emptyChat, emptySession } from '../../../support/protocol/arbitraryActions.ts';
import { verifies } from '../../../support/verifies.ts';

const uri = emptyChat.resource;
const context = { now: '2026-02-02T00:00:00Z' };
const base = { toolName: 'n', displayName: 'd', invocationMessage: 'i' };
const client = { kind: 'client' as const, clientId: 'c1' };
const resource = { reason: 'required', resource: { resource: 'https://x' } };

describe('inputNeededOf', () => {
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
    const found = inputNeededOf(uri, { activeTurn });
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
    assert.deepEqual(inputNeededOf(uri, { activeTurn }), found, 'ids are the same every time');
  });

  it('keeps ids apart that are spelled alike', () => {
    const part = (id: string) => ({ kind: 'inputRequest' as const, request: { id } });
    const turn = (id: string, key: string) => ({
      activeTurn: { id, startedAt: '', message: { text: '', origin: { kind: 'user' } }, responseParts: [part(key)] },
    });
    assert.notEqual(inputNeededOf(uri, turn('a:b', 'c'))[0]?.id, inputNeededOf(uri, turn('a', 'b:c'))[0]?.id);
  });

  it('needs input, apart from clients that run a tool, exactly when the chat says so', () => {
    fc.assert(
      fc.property(fc.array(chatAction, { maxLength: 60, size: 'max' }), (actions) => {
        const state = actions.reduce((it, action) => reduceChat(it, action, context), emptyChat);
        assert.equal(inputNeededOf(uri, state).length > 0, activityOf(state.status) === status.InputNeeded);
      }),
    );
  });
});

describe('inputNeededActions', () => {
  it('leads the session to the list of the chat, leaves other chats alone and repeats nothing', () => {
    fc.assert(
      fc.property(fc.array(chatAction, { maxLength: 60, size: 'max' }), (actions) => {
        const other = { kind: 'chatInput' as const, id: 'other', chat: 'host-chat:/z', request: { id: 'q' } };
        let session = { ...emptySession, inputNeeded: [other] };
        let chat = emptyChat;
        for (const action of actions) {
          chat = reduceChat(chat, action, context);
          const next = inputNeededOf(uri, chat);
          for (const it of inputNeededActions(session.inputNeeded, uri, next)) {
            session = reduceSession(session, it) as typeof session;
          }
          assert.deepEqual(new Set(session.inputNeeded), new Set([other, ...next]));
          assert.deepEqual(inputNeededActions(session.inputNeeded, uri, next), []);
        }
      }),
    );
  });
});
