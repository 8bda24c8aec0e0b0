import { describe, it } from 'mocha';
import {
  Annotation,
  AnnotationEntry,
  AnnotationsState,
} from '../../../../sidecar/protocol/channels/annotations/schema.ts';
import {
  ChangesetFile,
  ChangesetOperation,
  ChangesetState,
} from '../../../../sidecar/protocol/channels/changeset/schema.ts';
import {
  ConfirmationOption,
  McpAuthRequirement,
  RiskAssessment,
  ToolCallResult,
  ToolCallState,
  ToolResultContent,
} from '../../../../sidecar/protocol/channels/chat/toolCalls.ts';
import { ResourceChange, ResourceWatchState } from '../../../../sidecar/protocol/channels/resourceWatch/schema.ts';
import { McpServerState } from '../../../../sidecar/protocol/channels/session/customizations.ts';
import { AnnotationsSummary, Changeset } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';

const position = { line: 0, character: 0 };
const range = { start: position, end: position };
const error = { errorType: 'mcp', message: 'gone' };
const requirement = {
  required: { reason: 'insufficientScope', resource: { resource: 'https://mcp.test' } },
  optional: { oauthClient: { clientId: 'c', clientSecret: 's' }, requiredScopes: ['read'], description: 'Sign in.' },
};

describe('types of tool calls', () => {
  const option = { id: 'once', label: 'Allow', kind: 'approve' };
  const base = { toolCallId: 'k', toolName: 'shell', displayName: 'Run' };
  const baseOptional = { intention: 'To see.', contributor: { kind: 'mcp', customizationId: 'm' }, _meta: { a: 1 } };
  const invocation = { invocationMessage: { markdown: '`ls`' } };
  const input = { toolInput: 'ls' };
  const confirmed = { confirmed: 'user-action' };
  const selected = { selectedOption: option };
  const result = { success: true, pastTenseMessage: 'Ran ls' };
  const content = [{ type: 'text', text: 'a' }];
  const resultOptional = { content, structuredContent: { a: 1 }, error: { message: 'b', code: 'c' } };

  it('a call has in each state what belongs to it', () => {
    const of = (required: object, optional: object) =>
      checkShape(ToolCallState, {
        required: { ...base, ...required },
        optional: { ...baseOptional, ...optional },
      });
    of({ status: 'streaming' }, { partialInput: 'l', ...invocation });
    of(
      { status: 'pending-confirmation', ...invocation },
      {
        ...input,
        confirmationTitle: 'Run?',
        riskAssessment: { kind: 'judge', status: 'loading' },
        edits: { items: [{}] },
        editable: true,
        options: [option],
      },
    );
    of({ status: 'running', ...invocation, ...confirmed }, { ...input, ...selected, content });
    of(
      { status: 'pending-result-confirmation', ...invocation, ...confirmed, ...result },
      { ...input, ...selected, ...resultOptional },
    );
    of({ status: 'completed', ...invocation, ...confirmed, ...result }, { ...input, ...selected, ...resultOptional });
    of(
      { status: 'cancelled', ...invocation, reason: 'denied' },
      {
        ...input,
        ...selected,
        reasonMessage: 'no',
        userSuggestion: { text: 'use make', origin: { kind: 'user' } },
      },
    );
    const { contributor, ...others } = baseOptional;
    checkShape(ToolCallState, {
      required: {
        ...base,
        status: 'auth-required',
        contributor,
        ...invocation,
        ...confirmed,
        auth: requirement.required,
      },
      optional: { ...others, ...input, ...selected, content },
    });
    accepts(ToolCallState, { status: 'of-tomorrow' });
  });

  it('its parts have their members', () => {
    checkShape(ConfirmationOption, { required: option, optional: { group: 1 } });
    checkShape(RiskAssessment, { required: { kind: 'judge', status: 'complete', reason: 'It reads.', safety: 0.9 } });
    checkShape(ToolCallResult, { required: result, optional: resultOptional });
    checkShape(McpAuthRequirement, requirement);
  });

  it('its content is of six types', () => {
    checkShape(ToolResultContent, { required: { type: 'text', text: 'a' } });
    checkShape(ToolResultContent, { required: { type: 'embeddedResource', data: 'AAAA', contentType: 'image/png' } });
    checkShape(ToolResultContent, {
      required: { type: 'resource', uri: 'host-content:/1/a' },
      optional: { sizeHint: 1, contentType: 'text/plain', nonce: 'n' },
    });
    const side = { uri: 'file:///a', content: { uri: 'host-content:/1/a' } };
    checkShape(ToolResultContent, {
      required: { type: 'fileEdit' },
      optional: { before: side, after: side, diff: { added: 1 } },
    });
    checkShape(ToolResultContent, {
      required: { type: 'terminal', resource: 'host-terminal:/1', title: 'sh' },
      optional: { isPty: false, result: { exitCode: 0, preview: 'a', truncated: false } },
    });
    checkShape(ToolResultContent, {
      required: { type: 'subagent', resource: 'host-chat:/b', title: 'Searching' },
      optional: { agentName: 'searcher', description: 'Searches.' },
    });
    accepts(ToolResultContent, { type: 'of-tomorrow' });
  });

  it('the state of an MCP server is of five kinds', () => {
    for (const kind of ['starting', 'ready', 'stopped']) checkShape(McpServerState, { required: { kind } });
    checkShape(McpServerState, { required: { kind: 'error', error } });
    checkShape(McpServerState, {
      required: { kind: 'authRequired', ...requirement.required },
      optional: requirement.optional,
    });
  });
});

describe('types of changesets', () => {
  const file = { id: 'file:///a', edit: {} };
  const operation = { id: 'undo', label: 'Undo', scopes: ['changeset', 'range'], status: 'idle' };

  it('have their members', () => {
    checkShape(Changeset, {
      required: { label: 'All', uriTemplate: 'host-changeset:/1/turn/{turnId}', changeKind: 'turn' },
      optional: { description: 'Every change.', capabilities: { review: {} } },
    });
    checkShape(ChangesetState, {
      required: { status: 'ready', files: [file] },
      optional: { error, operations: [operation] },
    });
    checkShape(ChangesetFile, { required: file, optional: { reviewed: true, _meta: { a: 1 } } });
    checkShape(ChangesetOperation, {
      required: operation,
      optional: {
        description: 'Takes it back.',
        confirmation: { markdown: 'Sure?' },
        icon: 'discard',
        group: 'a',
        error,
      },
      anything: ['group'], // text or number: the specification does not say
    });
  });
});

describe('types of annotations and watches', () => {
  it('have their members', () => {
    const entry = { id: 'e', text: 'why?' };
    checkShape(AnnotationsSummary, {
      required: { resource: 'host-session:/1/annotations', annotationCount: 1, entryCount: 2 },
    });
    checkShape(AnnotationEntry, { required: entry, optional: { _meta: { a: 1 } } });
    const annotation = { id: 'n', turnId: 't', resource: 'file:///a', resolved: false, entries: [entry] };
    checkShape(Annotation, { required: annotation, optional: { range, _meta: { a: 1 } } });
    checkShape(AnnotationsState, { required: { annotations: [annotation] } });
    refuses(AnnotationsState, { annotations: [{ ...annotation, resolved: 'no' }] }, 'annotations');
    checkShape(ResourceWatchState, {
      required: { root: 'file:///a', recursive: true },
      optional: { excludes: { items: ['**/.git/**'] }, includes: { items: ['**/*.ts'] } },
    });
    checkShape(ResourceChange, { required: { uri: 'file:///a/b', type: 'deleted' } });
  });
});
