import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';
import { chat, headOf, session, started } from './chatInput.ts';

describe('an agent that is silent', () => {
  it('is so in the banner alone, with what the agent wrote of a fault', () => {
    const words = 'Claude has not responded for a minute.';
    const working: ChatState = { ...chat, activeTurn: started, activity: words };
    assert.equal(headOf({ session, chat: working }).turn?.activity, words);
    const problem = { kind: 'agentSilent', message: 'connect ECONNREFUSED' };
    const { turn, banners } = headOf({ session: { ...session, activity: words, _meta: { problem } }, chat: working });
    assert.equal(turn?.activity, undefined);
    assert.deepEqual(
      banners.map(({ kind, detail }) => [kind, detail]),
      [['silent', 'connect ECONNREFUSED']],
    );
  });
});

describe('an agent that ran tools without asking', () => {
  const runs = { here: 2, all: 5, version: '1.2.3' };
  const config = (sandbox: string) => ({
    schema: { type: 'object' as const, properties: {} },
    values: { 'switchboard.sandbox': sandbox },
  });

  it('is named with its version in a banner, unless its session is in a sandbox', () => {
    const { banners } = headOf({ session: { ...session, _meta: { unaskedRuns: runs } }, chat });
    assert.deepEqual(
      banners.map(({ kind, subject, unasked, canDismiss }) => [kind, subject, unasked, canDismiss]),
      [['ranUnasked', 'Claude 1.2.3', { here: 2, all: 5 }, true]],
    );
    const confined = { ...session, _meta: { unaskedRuns: runs }, config: config('on') };
    assert.deepEqual(headOf({ session: confined, chat }).banners, []);
  });
});
