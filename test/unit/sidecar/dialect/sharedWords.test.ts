import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { AhpAdapter } from '../../../../sidecar/dialect/ahpAdapter.ts';
import { SharedNotification } from '../../../../sidecar/transport/wireText.ts';
import { chatAction, sessionAction } from '../../../support/protocol/arbitraryActions.ts';
import { annotationsAction, changesetAction, terminalAction } from '../../../support/protocol/arbitraryThingActions.ts';
import { verifies } from '../../../support/verifies.ts';
import { hear, openAdapter, tellState } from './openAdapter.ts';
import { publicActions } from './publicActions.ts';

type Action = { readonly type: string };

const versions = ['0.5.1', '0.6.0', '0.7.4', '0.8.0', '0.9.0', '1.0.0'];
/** A chat whose own name its URI carries. */
const wrapped = `host-chat:/uri-${Buffer.from('copilot:/w').toString('base64url')}`;
const channels: readonly (readonly [string, fc.Arbitrary<Action>])[] = [
  ['host-chat:/c', chatAction],
  [wrapped, chatAction],
  ['host-session:/u', sessionAction],
  ['host-session:/u/annotations', annotationsAction],
  ['host-changeset:/u/session', changesetAction],
  ['host-terminal:/t', terminalAction],
];

/** Members with names of channels in them, wherever an action may have some. */
const named = {
  session: 'host-session:/u',
  chat: 'host-chat:/c',
  chats: ['host-chat:/1', wrapped],
  resource: 'host-changeset:/u/session',
  items: [{ uri: 'host-content:/a' }, { terminal: 'host-terminal:/t', text: 'host-chat:/c' }],
  _meta: { session: 'host-session:/u' },
};

/** A client that knows whose session this is, and its chat. */
function knowing(provider: string, version: string, clientId: string): AhpAdapter {
  const face = openAdapter(version, undefined, clientId);
  tellState(face, 'host-session:/u', { provider, defaultChat: 'host-chat:/c' });
  hear(face, { id: 5, method: 'subscribe', params: { channel: `${provider}:/u` } });
  return face;
}

/** What each of several clients gets is what it gets alone, where nothing is shared. */
function isAsAlone(channel: string, action: Action, more: object): void {
  const envelope = { channel, action, serverSeq: 7, ...more };
  const shared = new SharedNotification('action', envelope, JSON.stringify(envelope));
  for (const version of versions)
    for (const [provider, clientId] of [
      ['claude', 'c1'],
      ['codex', 'c2'],
      ['claude', 'c3'],
    ] as const) {
      const told = knowing(provider, version, clientId).shared(shared)?.text;
      const message = { jsonrpc: '2.0', method: 'action', params: envelope };
      const alone = knowing(provider, version, clientId).toClient(message);
      assert.equal(told, alone && JSON.stringify(alone), `${version} ${provider}`);
    }
}

describe('the words of a notification that clients of the public protocol share', () => {
  for (const type of Object.keys(publicActions))
    it(`${type} are those of a client alone`, () => {
      verifies('host.public.shared-text');
      for (const [channel] of channels) {
        isAsAlone(channel, { type }, {});
        isAsAlone(channel, { ...named, type }, { origin: { clientId: 'c2', clientSeq: 4 }, _meta: { at: 'now' } });
        isAsAlone(channel, { type }, { origin: { clientId: 'c2', clientSeq: 4 }, rejectionReason: 'no' });
      }
    });

  for (const [channel, arbitrary] of channels)
    it(`are those of a client alone for any action of ${channel}`, () => {
      fc.assert(
        fc.property(arbitrary, (action) => isAsAlone(channel, action, { _meta: { at: 'now' } })),
        { numRuns: 40 },
      );
    });
});
