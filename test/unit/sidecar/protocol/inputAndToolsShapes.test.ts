import { describe, it } from 'mocha';
import { SessionInputRequest } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { ToolAnnotations, ToolDefinition } from '../../../../sidecar/protocol/shared.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const base = { id: 'i1', chat: 'host-chat:/a' };
const call = { toolCallId: 'k1', toolName: 'shell', displayName: 'Run', invocationMessage: 'ls' };
const pending = { ...call, status: 'pending-confirmation' };
const client = { kind: 'client', clientId: 'c1' };
const running = { ...call, status: 'running', confirmed: 'not-needed', contributor: client };
const auth = { reason: 'required', resource: { resource: 'https://mcp.test' } };
const waiting = {
  ...call,
  status: 'auth-required',
  confirmed: 'user-action',
  contributor: { kind: 'mcp', customizationId: 'm' },
  auth,
};

describe('input requests of a session', () => {
  it('are of four kinds, each with its members, and kinds of tomorrow', () => {
    verifies(
      'host.input.variants',
      'host.input.id',
      'host.input.chat',
      'host.input.chat-input',
      'host.input.confirmation',
      'host.input.execution',
      'host.input.authentication',
    );
    checkShape(SessionInputRequest, { required: { ...base, kind: 'chatInput', request: { id: 'q1' } } });
    checkShape(SessionInputRequest, {
      required: { ...base, kind: 'toolConfirmation', turnId: 't', toolCall: pending },
    });
    const execution = { ...base, kind: 'toolClientExecution', turnId: 't', clientId: 'c1', toolCall: running };
    checkShape(SessionInputRequest, { required: execution });
    checkShape(SessionInputRequest, {
      required: { ...base, kind: 'toolAuthentication', turnId: 't', toolCall: waiting },
    });
    accepts(SessionInputRequest, { ...base, kind: 'of-tomorrow' });
  });

  it('hold a call of the state that they are about', () => {
    verifies('host.call.states');
    const of = (kind: string, toolCall: object) => ({ ...base, kind, turnId: 't', clientId: 'c1', toolCall });
    const result = { ...running, status: 'pending-result-confirmation', success: true, pastTenseMessage: 'Ran' };
    accepts(SessionInputRequest, of('toolConfirmation', result));
    refuses(SessionInputRequest, of('toolConfirmation', running), 'toolCall');
    refuses(SessionInputRequest, of('toolAuthentication', running), 'toolCall');
    const { auth: _auth, ...tokenless } = waiting;
    refuses(SessionInputRequest, of('toolAuthentication', tokenless), 'toolCall');
    refuses(SessionInputRequest, of('toolAuthentication', { ...waiting, contributor: client }), 'toolCall');
  });
});

describe('tools', () => {
  it('ToolDefinition has the members of its table', () => {
    verifies(
      'host.tool.name',
      'host.tool.title',
      'host.tool.description',
      'host.tool.input-schema',
      'host.tool.output-schema',
      'host.tool.annotations',
      'host.tool.meta',
    );
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    checkShape(ToolDefinition, {
      required: { name: 'look' },
      optional: {
        title: 'Look',
        description: 'Looks.',
        inputSchema: schema,
        outputSchema: schema,
        annotations: { readOnlyHint: true },
        _meta: { a: 1 },
      },
    });
    accepts(ToolDefinition, { name: 'look', inputSchema: { type: 'object' } });
    for (const name of ['inputSchema', 'outputSchema']) {
      refuses(ToolDefinition, { name: 'look', [name]: { type: 'array' } }, name);
      refuses(ToolDefinition, { name: 'look', [name]: { ...schema, required: 'path' } }, name);
    }
  });

  it('ToolAnnotations are all optional', () => {
    verifies('host.tool.annotation-title');
    checkShape(ToolAnnotations, {
      required: {},
      optional: {
        title: 'Look',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
  });
});
