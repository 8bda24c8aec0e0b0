import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hear, openAdapter, type Told, tell, tellAction, tellState } from './openAdapter.ts';
import { agent, auth, beside, error, knowing, message, off, offByScope, type Row } from './shownThings.ts';

const actions: readonly Row[] = [
  {
    says: 'files that are worked out again',
    channel: 'host-changeset:/u/session',
    host: { type: 'changeset/statusChanged', status: 'recomputing' },
    shown: {
      '0.9.7': { type: 'changeset/statusChanged', status: 'computing' },
      '1.0.0': { type: 'changeset/statusChanged', status: 'recomputing' },
    },
  },
  {
    says: 'the error of a turn',
    channel: 'host-chat:/c',
    host: { type: 'chat/error', turnId: 't', duration: 1, error },
    shown: {
      '0.8.0': { type: 'chat/error', turnId: 't', duration: 1, error },
      '0.9.0': { type: 'chat/error', turnId: 't', duration: 1, part: { kind: 'error', error } },
    },
  },
  {
    says: 'turns that are loaded later',
    channel: 'host-chat:/c',
    host: { type: 'chat/turnsLoaded', turns: [{ id: 't', message, responseParts: [], state: 'error', error }] },
    shown: {
      '0.9.0': {
        type: 'chat/turnsLoaded',
        turns: [{ id: 't', message, responseParts: [{ kind: 'error', error }], state: 'error' }],
      },
    },
  },
  {
    says: 'a call that waits for a token',
    channel: 'host-chat:/c',
    host: { type: 'chat/toolCallAuthRequired', turnId: 't', toolCallId: 'k', auth },
    shown: { '0.5.2': undefined, '0.6.3': { type: 'chat/toolCallAuthRequired', turnId: 't', toolCallId: 'k', auth } },
  },
  {
    says: 'a session that waits for a token',
    channel: 'host-session:/u',
    host: { type: 'session/inputNeededSet', request: { id: 'i', kind: 'toolAuthentication', chat: 'host-chat:/c' } },
    shown: {
      '0.5.2': undefined,
      '0.6.0': {
        type: 'session/inputNeededSet',
        request: { id: 'i', kind: 'toolAuthentication', chat: 'ahp-chat:/c' },
      },
    },
  },
  {
    says: 'another folder',
    channel: 'host-session:/u',
    host: { type: 'session/workingDirectorySet', directory: 'file:///b' },
    shown: { '0.6.0': undefined, '0.7.0': { type: 'session/workingDirectorySet', directory: 'file:///b' } },
  },
  {
    says: 'a server that is started',
    channel: 'host-session:/u',
    host: { type: 'session/mcpServerStartRequested', id: 's' },
    shown: { '0.5.1': undefined, '0.5.2': { type: 'session/mcpServerStartRequested', id: 's' } },
  },
  {
    says: 'what is turned on and off',
    channel: 'host-session:/u',
    host: { type: 'session/customizationToggled', id: 'p', enabled: false },
    shown: {
      '0.7.0': { type: 'session/customizationToggled', id: 'p', enabled: false },
      '0.8.0': {
        type: 'session/customizationToggled',
        id: 'p',
        enabled: false,
        enablement: [{ kind: 'session', enabled: false }],
      },
    },
  },
  {
    says: 'a client that brings what is turned off',
    channel: 'host-session:/u',
    host: { type: 'session/activeClientSet', activeClient: { clientId: 'c', tools: [], customizations: [off] } },
    shown: {
      '0.7.0': { type: 'session/activeClientSet', activeClient: { clientId: 'c', tools: [], customizations: [off] } },
      '0.8.0': {
        type: 'session/activeClientSet',
        activeClient: { clientId: 'c', tools: [], customizations: [offByScope] },
      },
    },
  },
  {
    says: 'where a chat comes from after all',
    channel: 'host-session:/u',
    host: { type: 'session/chatUpdated', chat: 'host-chat:/d', changes: { origin: beside('host-chat:/c') } },
    shown: {
      '0.6.0': { type: 'session/chatUpdated', chat: 'ahp-chat:/d', changes: { origin: { kind: 'user' } } },
      '0.7.0': { type: 'session/chatUpdated', chat: 'ahp-chat:/d', changes: { origin: beside('ahp-chat:/c') } },
    },
  },
  {
    says: 'a terminal that changes hands',
    channel: 'host-terminal:/t',
    host: { type: 'terminal/claimed', claim: { kind: 'session', session: 'host-session:/u' } },
    shown: {
      '0.9.0': {
        type: 'terminal/claimed',
        claim: { kind: 'session', session: 'claude:/u', chat: 'ahp-chat:/c' },
      },
    },
  },
  {
    says: 'a turn that an annotation moves to',
    channel: 'host-session:/u/annotations',
    host: { type: 'annotations/updated', annotationId: 'a', turnId: 't2' },
    shown: {
      '0.9.0': {
        type: 'annotations/updated',
        annotationId: 'a',
        origin: { session: 'claude:/u', turnId: 't2' },
      },
    },
  },
];

describe('what happens, in each public version', () => {
  for (const { says, channel, host, shown } of actions)
    for (const [version, expected] of Object.entries(shown))
      it(`${version} is ${expected ? 'told' : 'not told'} of ${says}`, () =>
        assert.deepEqual(tellAction(knowing(version), channel, host), expected));

  for (const [version, workingDirectories, expected] of [
    ['0.6.0', ['file:///b', 'file:///c'], { workingDirectory: 'file:///b' }],
    ['0.6.0', [], { workingDirectory: null }],
    ['0.6.0', null, { workingDirectory: null }],
    ['0.7.0', null, {}],
  ] as const)
    it(`${version} reads in the list that a session has the folders ${JSON.stringify(workingDirectories)} now`, () => {
      const changes = { workingDirectories };
      const changed = { method: 'root/sessionSummaryChanged', params: { session: 'host-session:/u', changes } };
      assert.deepEqual(tell(knowing(version), changed)?.['params'], {
        session: 'claude:/u',
        changes: { ...changes, ...expected },
      });
    });

  for (const [version, has] of [
    ['0.9.0', false],
    ['1.0.0', true],
  ] as const)
    it(`${version} ${has ? 'reads' : 'does not read'} in the list which chats a session has`, () => {
      const chats = (of: string) => ({ chats: [{ resource: of, title: 'a', status: 1 }], defaultChat: of });
      const face = openAdapter(version);
      const summary = { resource: 'host-session:/u', provider: 'claude', ...chats('host-chat:/c') };
      const row = { resource: 'claude:/u', provider: 'claude', ...(has && chats('ahp-chat:/c')) };
      const added = tell(face, { method: 'root/sessionAdded', params: { summary } });
      assert.deepEqual(added?.['params'], { summary: row });
      hear(face, { id: 6, method: 'listSessions', params: { channel: 'ahp-root://' } });
      assert.deepEqual(tell(face, { id: 6, result: { items: [summary] } })?.['result'], { items: [row] });
      const changed = (changes: object) => {
        const params = { session: 'host-session:/u', changes };
        return (tell(face, { method: 'root/sessionSummaryChanged', params })?.['params'] as Told)?.['changes'];
      };
      const others = { status: 2, ...chats('host-chat:/d') };
      assert.deepEqual(changed(others), { status: 2, ...(has && chats('ahp-chat:/d')) });
      assert.deepEqual(changed(chats('host-chat:/d')), has ? chats('ahp-chat:/d') : undefined);
      const claim = { kind: 'session', session: 'host-session:/u' };
      assert.deepEqual(tellAction(face, 'host-terminal:/t', { type: 'terminal/claimed', claim }), {
        type: 'terminal/claimed',
        claim: { kind: 'session', session: 'claude:/u', chat: 'ahp-chat:/d' },
      });
    });

  it('0.8 hears of a resource with all that its agent says of it, 0.9 of content that is gone as of a file', () => {
    const resource = { resource: 'https://api.example', scopes_supported: ['a'] };
    const required = { method: 'auth/required', params: { channel: 'host-root://', resource: resource.resource } };
    for (const [version, expected] of [
      ['0.7.0', resource.resource],
      ['0.8.0', resource],
    ] as const) {
      const face = openAdapter(version);
      tellState(face, 'host-root://', { agents: [{ ...agent, protectedResources: [resource] }] });
      assert.deepEqual((tell(face, required)!['params'] as Told)['resource'], expected);
    }
    for (const [version, expected] of [
      ['0.8.0', -32006],
      ['0.9.0', -32008],
    ] as const) {
      const told = tell(openAdapter(version), { id: 9, error: { code: -32006, message: 'gone' } });
      assert.deepEqual(told?.['error'], { code: expected, message: 'gone' });
    }
  });
});
