import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AhpAdapters } from '../../../../sidecar/dialect/ahpAdapters.ts';
import { channels } from '../../../../sidecar/protocol/channels/index.ts';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';
import { verifies } from '../../../support/verifies.ts';
import { introduction, openAdapter, paramsOf, tell, tellAction } from './openAdapter.ts';
import { publicActions } from './publicActions.ts';

/** What the host has nothing for. Of these, clients of later versions may send the first two. */
const missing = [
  'chat/turnResume',
  'session/workingDirectoryReplaced',
  'automation/createRequested',
  'automation/updateRequested',
  'automation/set',
  'automation/removed',
  'automationRun/cancelRequested',
  'automationRun/lifecycleChanged',
  'automationRun/sessionSet',
  'automationRun/sessionRemoved',
  'automationRun/primarySessionChanged',
  'session/chatsReordered',
  'session/mcpServerBackgroundRequested',
  'chat/movableChanged',
  'chat/changesetsChanged',
  'chat/backgroundWorkSet',
  'chat/backgroundWorkRemoved',
  'chat/canvasesChanged',
  'canvas/stateChanged',
];
const versions = ['0.5.1', '0.5.2', '0.6.0', '0.7.0', '0.8.0', '0.9.0', '1.0.0', '1.4.2'];

const clientMay = channels.flatMap((it) => [...it.clientMay] as string[]);
const ours = channels.flatMap((it) => Object.keys(it.actions));

describe('the actions of the public protocol and of the host', () => {
  it('are the same ones, but for those that the host has nothing for', () => {
    const theirs = Object.keys(publicActions).filter((it) => !missing.includes(it));
    assert.deepEqual(ours.toSorted(), theirs.toSorted());
    const sent = theirs.filter((it) => publicActions[it]?.[1] === 'client');
    assert.deepEqual(clientMay.toSorted(), sent.toSorted());
  });

  for (const type of Object.keys(publicActions))
    it(`${type} goes to the versions that have it, and to no other`, () => {
      const [since] = publicActions[type]!;
      for (const version of versions) {
        const told = tellAction(openAdapter(version), 'host-chat:/c', { type });
        assert.equal(told !== undefined, version >= since, version);
      }
    });

  it('a client hears the result of its own action, even if its version does not have the action', () => {
    verifies('host.public.receipt');
    const ahpAdapters = new AhpAdapters(introduction);
    const envelope = { channel: 'host-chat:/c', action: { type: 'chat/isReadChanged', isRead: true }, serverSeq: 8 };
    const receipt = (clientId: string) => ({
      method: 'action',
      params: { ...envelope, origin: { clientId, clientSeq: 4 } },
    });
    const face = openAdapter('0.8.0', ahpAdapters);
    assert.equal(tell(face, receipt('another')), undefined);
    assert.deepEqual(paramsOf(tell(face, receipt('c1')))['action'], envelope.action);
    const shared = new SharedNotification('action', receipt('c1').params);
    const other = openAdapter('0.8.0', ahpAdapters, 'c2');
    assert.deepEqual(
      [other, face, other].map((it) => it.shared(shared) !== undefined),
      [false, true, false],
    );
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
