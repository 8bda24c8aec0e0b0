import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  PERMISSION_DIAL,
  type PermissionDial,
  withDial,
  withRunUnasked,
} from '../../../../../sidecar/protocol/channels/session/permissionDial.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { dialWords } from '../../../../../src/views/sessions/hoverCard.ts';
import { type PickerInput, toPickers } from '../../../../../src/webviews/chat/chatPickers.ts';
import { english, summary } from '../../../../support/extensionStates.ts';

const mode = (value: string) => ({
  schema: {
    type: 'object' as const,
    properties: {
      mode: {
        type: 'string' as const,
        title: 'Mode',
        enum: ['ask', 'auto'],
        enumDescriptions: ['', 'Agent decides: runs tools'],
        sessionMutable: true,
      },
    },
  },
  values: { mode: value },
});
const state = (dial: PermissionDial, more: Partial<SessionState> = {}, value = 'ask'): SessionState => ({
  ...summary(),
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
  config: withDial(mode(value), dial),
  ...more,
});
const dialOfComposer = (more: Partial<PickerInput>) =>
  toPickers({
    agents: [],
    editor: { folders: [], folder: undefined } as never,
    chosen: {},
    config: withDial(mode('ask'), 'ask'),
    favorites: { pinned: [], recent: [] },
    folderAgents: [],
    isNew: false,
    ...more,
  }).filter((it) => it.id === `option:${PERMISSION_DIAL}`);
const ofSession = (session: SessionState, more: Partial<PickerInput> = {}) =>
  dialOfComposer({ session, config: session.config, ...more })[0];

describe('the dial of permissions in the composer', () => {
  it('1b-16 is one named choice of three, at what holds in the session', () => {
    const [dial, ...more] = dialOfComposer({});
    assert.deepEqual(more, []);
    assert.deepEqual(
      [dial?.title, dial?.isOwn, dial?.value, dial?.enabled, dial?.doubt],
      ['Permissions', true, 'ask', true, undefined],
    );
    assert.deepEqual(
      dial?.choices.map((it) => it.label),
      ['Ask', 'Accept edits', 'Read only'],
    );
    assert.equal(ofSession(state('readOnly'))?.value, 'readOnly');
  });

  it('1b-16 shows what the host holds, whatever was chosen before there was a session', () => {
    const chosen = { config: { [PERMISSION_DIAL]: 'acceptEdits' } };
    assert.equal(dialOfComposer({ chosen, isNew: true })[0]?.value, 'acceptEdits');
    assert.equal(ofSession(state('ask'), { chosen, isNew: true })?.value, 'ask');
  });

  it('1b-16 is not shown as holding where the agent decides by itself, and cannot be set there', () => {
    const { doubt, enabled } = ofSession(state('ask', {}, 'auto')) ?? {};
    assert.deepEqual([doubt, enabled], ['agentDecides', false]);
    assert.equal(dialWords(english, state('ask', {}, 'auto')), 'Agent decides');
    const chosen = { config: { mode: 'auto' } };
    assert.equal(dialOfComposer({ chosen, isNew: true })[0]?.doubt, 'agentDecides');
  });

  it('1b-16 says that an agent does not always ask once it ran a tool without asking', () => {
    const session = state('readOnly', { _meta: withRunUnasked({ git: 1 }) });
    assert.deepEqual([ofSession(session)?.doubt, ofSession(session)?.enabled], ['ranUnasked', true]);
    assert.equal(dialWords(english, session), 'Read only (agent does not always ask)');
  });

  it('1b-16 does not offer to accept edits on a host elsewhere', () => {
    const dial = ofSession(state('ask'), { chosen: { host: 'wss://far.example' } });
    assert.deepEqual(
      dial?.choices.map((it) => [it.id, it.locked]),
      [
        ['ask', undefined],
        ['acceptEdits', 'notAllowed'],
        ['readOnly', undefined],
      ],
    );
  });
});
