import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { channelOf } from '../../../../sidecar/protocol/channels/index.ts';
import { chatAction, sessionAction } from '../../../support/protocol/arbitraryActions.ts';
import { annotationsAction, terminalAction } from '../../../support/protocol/arbitraryThingActions.ts';
import { hear, hearAction, openAdapter, tell, tellAction, tellState } from './openAdapter.ts';

const versions = ['0.5.1', '0.5.2', '0.6.0', '0.7.4', '0.8.0', '0.9.0', '1.0.0'];
const channels = {
  'host-chat:/c': chatAction,
  'host-session:/u': sessionAction,
  'host-session:/u/annotations': annotationsAction,
  'host-terminal:/t': terminalAction,
} as const;
const named = (channel: string) => channel.replace('host-session:', 'claude:').replace('host-', 'ahp-');

/** Members that nobody knows, with texts in them that read like channels. */
const unknown = fc.dictionary(
  fc.stringMatching(/^x-[a-z]{1,5}$/),
  fc.oneof(fc.jsonValue(), fc.constantFrom('host-chat:/c', 'ahp-root://', 'claude:/u', ['host-session:/u'])),
);

/** Whether all of `whole` has what `part` has. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(whole, part) || whole === part;
  if (Array.isArray(part))
    return Array.isArray(whole) && whole.length === part.length && part.every((it, at) => holds(whole[at], it));
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, it]) => Object.hasOwn(whole, key) && holds(Reflect.get(whole, key), it));
}

describe('what goes through the public door and back', () => {
  for (const version of versions)
    it(`is the same in ${version}, with every member that nobody knows`, () => {
      for (const [channel, arbitrary] of Object.entries(channels)) {
        const clientMay = channelOf(channel)!.clientMay;
        const sent = fc
          .tuple(arbitrary as fc.Arbitrary<{ type: string }>, unknown)
          .map(([action, more]) => ({ ...more, ...action }))
          .filter((it) => clientMay.has(it.type));
        fc.assert(
          fc.property(sent, (action) => {
            const face = openAdapter(version);
            tellState(face, 'host-session:/u', { provider: 'claude' });
            const shown = tellAction(face, channel, action);
            if (shown === undefined) return; // newer than the version
            const back = hearAction(face, named(channel), shown as object);
            assert.ok(holds(back, JSON.parse(JSON.stringify(action))), JSON.stringify({ action, shown, back }));
          }),
          { numRuns: 60 },
        );
      }
    });

  it('are texts of people and tools as they were, whatever they read like', () => {
    const face = openAdapter('0.9.0');
    const texts = {
      text: 'host-root://',
      toolInput: 'claude:/u',
      values: { uri: 'host-chat:/c' },
      _meta: { chat: 'host-chat:/c' },
    };
    assert.deepEqual(tellAction(face, 'host-chat:/c', { type: 'chat/x', ...texts }), { type: 'chat/x', ...texts });
    assert.deepEqual(hearAction(face, 'ahp-chat:/c', { type: 'chat/x', ...texts }), { type: 'chat/x', ...texts });
  });

  it('are messages that nobody knows, both ways, with the names of channels in them', () => {
    const face = openAdapter('0.9.0');
    const asked = { id: 4, method: 'x-vendor/ask', params: { channel: 'ahp-root://', n: 1, own: { deep: [null] } } };
    const heard = { id: 4, method: 'x-vendor/ask', params: { channel: 'host-root://', n: 1, own: { deep: [null] } } };
    assert.deepEqual(hear(face, asked), { jsonrpc: '2.0', ...heard });
    assert.deepEqual(tell(face, heard), { jsonrpc: '2.0', ...asked });
    assert.deepEqual(tell(face, { id: 4, result: [1] }), { jsonrpc: '2.0', id: 4, result: [1] });
    assert.deepEqual(hear(face, { id: 1, result: { uri: 'ahp-content:/a/b' } }), {
      jsonrpc: '2.0',
      id: 1,
      result: { uri: 'host-content:/a/b' },
    });
  });
});
