import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { channels } from '../../../../sidecar/protocol/channels/index.ts';
import { openAdapter, paramsOf, tell, tellAction } from './openAdapter.ts';
import { publicActions } from './publicActions.ts';

/** What clients of later versions may send, and the host has nothing for. */
const refused = ['chat/turnResume', 'session/workingDirectoryReplaced'];
const versions = ['0.5.1', '0.5.2', '0.6.0', '0.7.0', '0.8.0', '0.9.0'];

const clientMay = channels.flatMap((it) => [...it.clientMay] as string[]);
const ours = channels.flatMap((it) => Object.keys(it.actions));

describe('the actions of the public protocol and of the host', () => {
  it('are the same ones, but for two that clients of later versions may send', () => {
    const theirs = Object.keys(publicActions).filter((it) => !refused.includes(it));
    assert.deepEqual(ours.toSorted(), theirs.toSorted());
    const sent = theirs.filter((it) => publicActions[it]?.[1] === 'client');
    assert.deepEqual(clientMay.toSorted(), sent.toSorted());
  });

  for (const type of ours)
    it(`${type} goes to the versions that have it, and to no other`, () => {
      const [since] = publicActions[type]!;
      for (const version of versions) {
        const told = tellAction(openAdapter(version), 'host-chat:/c', { type });
        assert.equal(told !== undefined, version >= since, version);
      }
    });

  for (const [type, reason] of [
    [
      'session/workingDirectoryReplaced',
      /a folder cannot be replaced in place; add the new folder, and then remove this one/,
    ],
    ['chat/turnResume', /send the message again/],
    ['chat/delta', /^clients must not dispatch this action: chat\/delta$/],
  ] as const)
    it(`${type} comes back to who sent it, with the reason why`, () => {
      const origin = { clientId: 'c1', clientSeq: 4 };
      const envelope = { channel: 'host-chat:/c', action: { type }, serverSeq: 8, origin };
      const rejectionReason = `clients must not dispatch this action: ${type}`;
      const told = tell(openAdapter('0.9.0'), { method: 'action', params: { ...envelope, rejectionReason } });
      const { rejectionReason: said, ...others } = paramsOf(told);
      assert.match(String(said), reason);
      assert.deepEqual(others, { ...envelope, channel: 'ahp-chat:/c' });
    });
});
