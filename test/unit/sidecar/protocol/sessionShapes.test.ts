import { describe, it } from 'mocha';
import {
  ChangesSummary,
  ProjectInfo,
  SessionActiveClient,
  SessionChatSummary,
  SessionState,
  SessionSummary,
} from '../../../../sidecar/protocol/channels/session/schema.ts';
import { Snapshot } from '../../../../sidecar/protocol/envelope.ts';
import { AgentSelection } from '../../../../sidecar/protocol/shared.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const shared = { provider: 'p', title: 'A session', status: 97 };
const sharedOptional = {
  activity: 'Reading',
  project: { uri: 'file:///p', displayName: 'P' },
  workingDirectories: ['file:///a', 'file:///b'],
  annotations: { resource: 'host-session:/1/annotations', annotationCount: 1, entryCount: 2 },
};
const now = '2026-01-01T00:00:00Z';
const chat = { resource: 'host-chat:/a', title: 'a', status: 1, modifiedAt: now };
const tool = { name: 'look' };
const plugin = { type: 'plugin', id: 'x', uri: 'virtual://c1/x', name: 'X', enabled: true, nonce: '1' };

describe('types of sessions', () => {
  it('SessionState has the shared members and those of its table', () => {
    verifies(
      'host.session.provider',
      'host.session.title',
      'host.session.status',
      'host.session.activity',
      'host.session.annotations',
      'host.session.inlined',
      'host.session.lifecycle',
      'host.session.creation-error',
      'host.session.active-clients',
      'host.session.chats',
      'host.session.config',
      'host.session.customizations',
      'host.session.meta',
      'host.service.session-holds',
    );
    const option = { type: 'string', title: 'Mode', sessionMutable: true };
    const changeset = { label: 'All', uriTemplate: 'host-changeset:/1/session', changeKind: 'session' };
    checkShape(SessionState, {
      required: { ...shared, lifecycle: 'ready', activeClients: [], chats: [chat] },
      optional: {
        ...sharedOptional,
        creationError: { errorType: 'provider', message: 'gone' },
        serverTools: [tool],
        defaultChat: 'host-chat:/a',
        config: { schema: { type: 'object', properties: { mode: option } }, values: {} },
        customizations: [plugin],
        changesets: [changeset],
        inputNeeded: [{ kind: 'chatInput', id: 'i', chat: 'host-chat:/a', request: { id: 'q' } }],
        _meta: { git: { branch: 'main' } },
      },
    });
    for (const lifecycle of ['creating', 'ready', 'creationFailed'])
      accepts(SessionState, { ...shared, lifecycle, activeClients: [], chats: [] });
    refuses(SessionState, { ...shared, lifecycle: 'asleep', activeClients: [], chats: [] }, 'lifecycle');
    refuses(SessionState, { ...shared, status: -1, lifecycle: 'ready', activeClients: [], chats: [] }, 'status');
  });

  it('ProjectInfo has its two members', () => {
    verifies('host.session.project-info');
    checkShape(ProjectInfo, { required: sharedOptional.project });
  });

  it('SessionSummary has the shared members and those of its table', () => {
    verifies(
      'host.summary.shared',
      'host.summary.resource',
      'host.summary.created-at',
      'host.summary.modified-at',
      'host.summary.changes',
      'host.summary.meta',
    );
    const chats = [{ resource: 'host-chat:/1', title: 'a', status: 1 }];
    const changes = { additions: 1, deletions: 2, files: 3 };
    checkShape(SessionSummary, {
      required: { ...shared, resource: 'host-session:/1', createdAt: now, modifiedAt: now },
      optional: { ...sharedOptional, changes, chats, defaultChat: 'host-chat:/1', _meta: { a: 1 } },
    });
    checkShape(SessionChatSummary, {
      required: chats[0]!,
      optional: { origin: { kind: 'user' }, interactivity: 'hidden' },
    });
    checkShape(ChangesSummary, { required: {}, optional: changes });
  });

  it('AgentSelection has the URI of the agent', () => {
    verifies('host.selection.uri');
    checkShape(AgentSelection, { required: { uri: 'file:///agents/a.md' } });
  });

  it('SessionActiveClient has the members of its table, plugins as containers', () => {
    verifies('host.client.id', 'host.client.display-name', 'host.client.tools', 'host.client.customizations');
    const client = { clientId: 'c1', tools: [tool] };
    checkShape(SessionActiveClient, { required: client, optional: { displayName: 'C', customizations: [plugin] } });
    const { enabled: _enabled, ...noContainer } = plugin;
    refuses(SessionActiveClient, { ...client, customizations: [noContainer] }, 'customizations');
  });

  it('Snapshot has the channel, its state and where it was taken', () => {
    verifies('host.snapshot.resource', 'host.snapshot.from-seq');
    checkShape(Snapshot, {
      required: { resource: 'host-root://', state: { agents: [] }, fromSeq: 3 },
      anything: ['state'],
    });
  });
});
