import { describe, it } from 'mocha';
import {
  AgentCapabilities,
  AgentInfo,
  RootState,
  SessionModelInfo,
} from '../../../../sidecar/protocol/channels/root/schema.ts';
import { TerminalInfo, TerminalState } from '../../../../sidecar/protocol/channels/terminal/schema.ts';
import { ModelSelection } from '../../../../sidecar/protocol/shared.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const model = { id: 'm', provider: 'p', name: 'M' };
const agent = { provider: 'p', displayName: 'P', description: 'An agent.', models: [model] };
const schema = { type: 'object', properties: { effort: { type: 'string', title: 'Effort' } } };
const claim = { kind: 'client', clientId: 'c1' };
const terminal = { resource: 'host-terminal:/1', title: 'sh', claim };

describe('types of the root', () => {
  it('RootState has the members of its table', () => {
    verifies('host.root.agents', 'host.root.active-sessions', 'host.root.config', 'host.root.meta');
    checkShape(RootState, {
      required: { agents: [agent] },
      optional: {
        activeSessions: 2,
        terminals: [terminal],
        config: { schema, values: { effort: 'low' } },
        _meta: { a: 1 },
      },
    });
  });

  it('AgentInfo has the members of its table', () => {
    verifies(
      'host.agent.provider',
      'host.agent.display-name',
      'host.agent.description',
      'host.agent.models',
      'host.agent.protected-resources',
      'host.agent.customizations',
      'host.agent.capabilities',
    );
    const plugin = { type: 'plugin', id: 'x', uri: 'file:///x', name: 'X', enabled: true };
    checkShape(AgentInfo, {
      required: agent,
      optional: {
        protectedResources: [{ resource: 'https://api.test' }],
        customizations: [plugin],
        capabilities: { multipleChats: {} },
      },
    });
    refuses(AgentInfo, { ...agent, protectedResources: [{}] }, 'protectedResources');
    refuses(AgentInfo, { ...agent, customizations: [{ ...plugin, enabled: 'yes' }] }, 'customizations');
  });

  it('AgentCapabilities are objects, if only empty ones', () => {
    verifies('host.service.static-capabilities');
    // What a prompt may hold is ours: the public protocol does not show it.
    checkShape(AgentCapabilities.omit({ prompts: true, remote: true, conversations: true }), {
      required: {},
      optional: {
        multipleChats: { fork: true, sideChat: true },
        multipleWorkingDirectories: { requiresPrimary: true },
      },
    });
    accepts(AgentCapabilities, { multipleChats: {}, multipleWorkingDirectories: {} });
    refuses(AgentCapabilities, { multipleChats: true }, 'multipleChats');
    refuses(AgentCapabilities, { multipleChats: { fork: 'yes' } }, 'multipleChats');
    refuses(AgentCapabilities, { multipleWorkingDirectories: { requiresPrimary: 1 } }, 'multipleWorkingDirectories');
  });

  it('SessionModelInfo has the members of its table, and policies of tomorrow', () => {
    verifies(
      'host.model.id',
      'host.model.provider',
      'host.model.name',
      'host.model.context-window',
      'host.model.output-tokens',
      'host.model.prompt-tokens',
      'host.model.vision',
      'host.model.policy',
      'host.model.meta',
    );
    checkShape(SessionModelInfo, {
      required: model,
      optional: {
        maxContextWindow: 200_000,
        maxOutputTokens: 8_000,
        maxPromptTokens: 100_000,
        supportsVision: true,
        policyState: 'unconfigured',
        configSchema: schema,
        _meta: { pricing: '1x' },
      },
    });
    accepts(SessionModelInfo, { ...model, policyState: 'on trial' });
  });

  it('ModelSelection has an id and JSON primitives', () => {
    verifies('host.model.selection-id');
    checkShape(ModelSelection, { required: { id: 'm' }, optional: { config: { a: 'low', b: 2, c: true, d: null } } });
    refuses(ModelSelection, { id: 'm', config: { a: {} } }, 'config');
  });

  it('TerminalInfo and TerminalState have the members of the protocol', () => {
    checkShape(TerminalInfo, { required: terminal, optional: { exitCode: 0 } });
    const command = { type: 'command', commandId: 'k', commandLine: 'ls', output: '', timestamp: 1, isComplete: true };
    checkShape(TerminalState, {
      required: { title: 'sh', content: [{ type: 'unclassified', value: 'a' }, command], claim },
      optional: {
        cwd: 'file:///a',
        cols: 80,
        rows: 24,
        exitCode: 0,
        supportsCommandDetection: true,
        isPty: false,
      },
    });
    refuses(TerminalState, { title: 'sh', content: [{ ...command, output: 1 }], claim }, 'content');
    refuses(TerminalState, { title: 'sh', content: [], claim: { kind: 'session' } }, 'claim');
    accepts(TerminalState, { title: 'sh', content: [{ type: 'picture' }], claim: { kind: 'of-tomorrow' } });
  });
});
