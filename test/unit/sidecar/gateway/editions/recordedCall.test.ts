import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openActivity } from '../../../../../sidecar/gateway/activity/activity.ts';
import { recordedCall } from '../../../../../sidecar/gateway/editions/recordedCall.ts';
import type { KeyHolder } from '../../../../../sidecar/gateway/editions/sessionKeys.ts';
import type { EndedCall } from '../../../../../sidecar/gateway/storage/activity/endedCall.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { keepingLog } from '../../../../support/testLog.ts';

const holders: Readonly<Record<string, KeyHolder>> = {
  models: { session: 's', chat: 'c' },
  tools: { session: 's' },
};
const keys = { holderOf: (token: string) => holders[token] };

describe('a call that is recorded', () => {
  /** The calls that a listener gets if it stops listening after the first of two calls. */
  const heard = (api_key: string, model_group?: string): readonly EndedCall[] => {
    const calls: EndedCall[] = [];
    const activity = openActivity({
      store: { activityWrites: { write: async () => undefined } } as never,
      clock: new StandingClock('2026-01-01T00:00:00Z'),
      timers: stillTimers,
      newId: () => 'writer',
      log: keepingLog().log,
    });
    const stop = activity.listen((it) => calls.push(it));
    const call = (id: string) => {
      const facts = { endpoint: '/v1/messages', call_type: 'messages', model: 'claude-real', model_group };
      const recording = activity.begin(id, { api_key }, facts);
      recording.finish({ status: 'success', spend: 0.25, prompt_tokens: 12, completion_tokens: 3 });
      recording.finish({ status: 'success', spend: 9 });
    };
    call('heard');
    stop();
    call('after');
    return calls;
  };

  it('is passed to a listener once, and not after the listener has stopped', () =>
    assert.deepEqual(
      heard('models').map((it) => it.request_id),
      ['heard'],
    ));
  for (const [says, group, model] of [
    ['with the model name that the agent used', 'claude-sonnet-5', 'claude-sonnet-5'],
    ['with the name of the provider if there is no other name', undefined, 'claude-real'],
  ] as const)
    it(`belongs to a chat ${says}, and has its tokens and its cost`, () => {
      const expected = { session: 's', chat: 'c', model, inputTokens: 12, outputTokens: 3, cost: 0.25 };
      assert.deepEqual(
        heard('models', group).map((it) => recordedCall(keys, it)),
        [expected],
      );
    });
  for (const [says, key] of [
    ['under the key for the tools of a session', 'tools'],
    ['under a key that is not of a session', 'elsewhere'],
  ] as const)
    it(`belongs to no chat if it was made ${says}`, () =>
      assert.deepEqual(
        heard(key).map((it) => recordedCall(keys, it)),
        [undefined],
      ));
});
