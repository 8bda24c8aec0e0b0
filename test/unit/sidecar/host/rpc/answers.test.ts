import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('what a chat asks', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  for (const { says, sees } of [
    { says: 'the chat', sees: 'chat' },
    { says: 'its session', sees: 'session' },
  ] as const) {
    it(`is answered only by who is subscribed, here to ${says}`, async () => {
      verifies('host.client.confirm-subscribed');
      const decided: boolean[] = [];
      place = await openHostPlace([
        scriptedProvider(async function* (_turn, host) {
          yield { kind: 'toolStarted', toolCallId: 'call', toolName: 'shell', displayName: 'Shell' };
          const facts = {
            toolCallId: 'call',
            kind: 'shell',
            invocationMessage: 'Run',
            command: 'ls',
            paths: [],
          } as const;
          decided.push((await host.confirm(facts)).allow);
          yield { kind: 'toolEnded', toolCallId: 'call', success: true, pastTenseMessage: 'Ran', content: [] };
        }),
      ]);
      const owner = await place.connect('owner');
      const { session, chat } = await owner.newSession();
      const turnId = await owner.prompt(chat, 'go');
      await owner.until(() => (owner.session(session).inputNeeded ?? []).length === 1);
      const other = await place.connect('other');
      const about = { turnId, toolCallId: 'call' };
      const allow = { type: 'chat/toolCallConfirmed', ...about, approved: true, confirmed: 'user-action' } as AnyAction;
      const refused = 'subscribe to the chat or its session before you answer its questions';
      for (const action of [
        allow,
        { type: 'chat/toolCallConfirmed', ...about, approved: false, reason: 'denied' },
        { type: 'chat/toolCallResultConfirmed', ...about, approved: true },
        { type: 'chat/inputCompleted', requestId: 'r', response: 'accept' },
        { type: 'chat/inputAnswerChanged', requestId: 'r', questionId: 'q' },
      ] as AnyAction[])
        assert.equal((await other.act(chat, action)).rejectionReason, refused);
      assert.deepEqual(decided, []);
      await other.subscribe(sees === 'chat' ? chat : session);
      assert.equal((await other.act(chat, allow)).rejectionReason, undefined);
      await owner.ended(chat, turnId);
      assert.deepEqual(decided, [true]);
    });
  }
});
