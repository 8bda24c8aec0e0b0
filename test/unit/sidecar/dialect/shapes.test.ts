import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { tellState } from './openAdapter.ts';
import {
  agent,
  auth,
  call,
  chat,
  error,
  file,
  knowing,
  message,
  off,
  offByScope,
  open,
  type Row,
  remark,
  remarkShown,
  session,
} from './shownThings.ts';

/** One thing of the host, and what clients of each version are shown. */
const states: readonly Row[] = [
  {
    says: 'a session that could not be made',
    channel: 'host-session:/u',
    host: { ...session, lifecycle: 'creationFailed', creationError: error },
    shown: {
      '0.8.1': { ...session, lifecycle: 'creationFailed', creationError: error },
      '0.9.0': { ...session, lifecycle: 'failed', creationError: error },
    },
  },
  {
    says: 'the folders of a session',
    channel: 'host-session:/u',
    host: { ...session, workingDirectories: ['file:///a', 'file:///b'] },
    shown: {
      '0.6.0': { ...session, workingDirectories: ['file:///a', 'file:///b'], workingDirectory: 'file:///a' },
      '0.7.0': { ...session, workingDirectories: ['file:///a', 'file:///b'] },
    },
  },
  {
    says: 'a session that waits for a tool of a client alone',
    channel: 'host-session:/u',
    host: { ...session, status: 56, inputNeeded: [{ id: 'i', kind: 'toolClientExecution' }] },
    shown: {
      '0.7.0': { ...session, status: 56, inputNeeded: [{ id: 'i', kind: 'toolClientExecution' }] },
      '0.8.0': { ...session, status: 40, inputNeeded: [{ id: 'i', kind: 'toolClientExecution' }] },
    },
  },
  {
    says: 'a session that waits for a token',
    channel: 'host-session:/u',
    host: { ...session, inputNeeded: [{ id: 'i', kind: 'toolAuthentication' }] },
    shown: {
      '0.5.2': session,
      '0.6.0': { ...session, inputNeeded: [{ id: 'i', kind: 'toolAuthentication' }] },
    },
  },
  {
    says: 'a plugin that is turned off',
    channel: 'host-session:/u',
    host: { ...session, customizations: [off] },
    shown: {
      '0.7.0': { ...session, customizations: [off] },
      '0.8.0': { ...session, customizations: [offByScope] },
    },
  },
  {
    says: 'a plugin of a client that is turned off',
    channel: 'host-session:/u',
    host: { ...session, activeClients: [{ clientId: 'c', tools: [], customizations: [off] }] },
    shown: {
      '0.7.0': { ...session, activeClients: [{ clientId: 'c', tools: [], customizations: [off] }] },
      '0.8.0': { ...session, activeClients: [{ clientId: 'c', tools: [], customizations: [offByScope] }] },
    },
  },
  {
    says: 'the primary folder of a side chat',
    channel: 'host-chat:/c',
    host: {
      ...chat,
      origin: { kind: 'sideChat', chat: 'host-chat:/d' },
      primaryWorkingDirectory: 'file:///a',
      turns: [],
    },
    shown: {
      '0.6.0': {
        ...chat,
        resource: 'ahp-chat:/c',
        origin: { kind: 'user' },
        primaryWorkingDirectory: 'file:///a',
        turns: [],
      },
      '0.7.0': { ...chat, resource: 'ahp-chat:/c', origin: { kind: 'sideChat', chat: 'ahp-chat:/d' }, turns: [] },
    },
  },
  {
    says: 'a turn that failed',
    channel: 'host-chat:/c',
    host: { ...chat, turns: [{ id: 't', message, responseParts: [], state: 'error', error }] },
    shown: {
      '0.8.0': {
        ...chat,
        resource: 'ahp-chat:/c',
        turns: [{ id: 't', message, responseParts: [], state: 'error', error }],
      },
      '0.9.0': {
        ...chat,
        resource: 'ahp-chat:/c',
        turns: [{ id: 't', message, responseParts: [{ kind: 'error', error }], state: 'error' }],
      },
    },
  },
  {
    says: 'a tool call that waits for a token',
    channel: 'host-chat:/c',
    host: {
      ...chat,
      turns: [],
      activeTurn: {
        id: 't',
        responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'auth-required', auth } }],
      },
    },
    shown: {
      '0.5.1': {
        ...chat,
        resource: 'ahp-chat:/c',
        turns: [],
        activeTurn: { id: 't', responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'running' } }] },
      },
    },
  },
  {
    says: 'an agent with folders, and one that names no model',
    channel: 'host-root://',
    host: {
      agents: [
        {
          ...agent,
          capabilities: {
            multipleChats: { fork: true, sideChat: true },
            multipleWorkingDirectories: { requiresPrimary: true },
            prompts: { images: true, files: false },
          },
        },
        { ...agent, provider: 'plain', models: [] },
      ],
    },
    shown: {
      '0.6.0': {
        agents: [
          { ...open, capabilities: { multipleChats: { fork: true } } },
          {
            ...open,
            provider: 'plain',
            models: [{ id: 'x-switchboard-default', provider: 'plain', name: 'Default' }],
          },
        ],
      },
      '0.7.0': {
        agents: [
          {
            ...open,
            capabilities: {
              multipleChats: { fork: true, sideChat: true },
              multipleWorkingDirectories: { immutablePrimary: true },
            },
          },
          {
            ...open,
            provider: 'plain',
            models: [{ id: 'x-switchboard-default', provider: 'plain', name: 'Default' }],
          },
        ],
      },
    },
  },
  {
    says: 'a changeset whose files are worked out again',
    channel: 'host-changeset:/u/session',
    host: { status: 'recomputing', files: [file] },
    shown: {
      '0.9.0': { status: 'computing', files: [file] },
      '1.0.0': { status: 'recomputing', files: [file] },
    },
  },
  {
    says: 'a terminal that ended, of a session',
    channel: 'host-terminal:/t',
    host: { title: 'sh', content: [], claim: { kind: 'session', session: 'host-session:/u' }, exitCode: 3 },
    shown: {
      '0.8.0': { title: 'sh', content: [], claim: { kind: 'session', session: 'claude:/u' }, exitCode: 3 },
      '0.9.0': {
        title: 'sh',
        content: [],
        claim: { kind: 'session', session: 'claude:/u', chat: 'ahp-chat:/c' },
        lifecycle: { status: 'exited', exitCode: 3 },
      },
    },
  },
  {
    says: 'a terminal that runs',
    channel: 'host-terminal:/t',
    host: { title: 'sh', content: [], claim: { kind: 'client', clientId: 'c1' } },
    shown: {
      '0.9.0': {
        title: 'sh',
        content: [],
        claim: { kind: 'client', clientId: 'c1' },
        lifecycle: { status: 'running' },
      },
    },
  },
  {
    says: 'an annotation',
    channel: 'host-session:/u/annotations',
    host: { annotations: [remark] },
    shown: {
      '0.8.0': { annotations: [remark] },
      '0.9.0': { annotations: [{ ...remarkShown, origin: { session: 'claude:/u', turnId: 't' } }] },
    },
  },
  {
    says: 'an annotation that moved to another turn since',
    channel: 'host-session:/u/annotations',
    host: { annotations: [{ ...remark, origin: { session: 'host-session:/u', chat: 'host-chat:/c', turnId: 't0' } }] },
    shown: { '0.9.0': { annotations: [{ ...remarkShown, origin: { session: 'claude:/u', turnId: 't' } }] } },
  },
  {
    says: 'an annotation with all that is known of where it comes from',
    channel: 'host-session:/u/annotations',
    host: { annotations: [{ ...remark, origin: { session: 'host-session:/u', chat: 'host-chat:/c', turnId: 't' } }] },
    shown: {
      '0.9.0': {
        annotations: [{ ...remarkShown, origin: { session: 'claude:/u', chat: 'ahp-chat:/c', turnId: 't' } }],
      },
    },
  },
];

describe('the state of channels in each public version', () => {
  for (const { says, channel, host, shown } of states)
    for (const [version, expected] of Object.entries(shown))
      it(`${version} is shown ${says}`, () => assert.deepEqual(tellState(knowing(version), channel, host), expected));
});
