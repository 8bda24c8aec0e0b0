import { describe, it } from 'mocha';
import {
  ChatInputAnswer,
  ChatInputAnswerValue,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../../../sidecar/protocol/channels/chat/inputRequests.ts';
import {
  ActiveTurn,
  ChatOrigin,
  ChatState,
  ChatSummary,
  PendingMessage,
  ResponsePart,
  Turn,
} from '../../../../sidecar/protocol/channels/chat/schema.ts';
import { Message, MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';

const now = '2026-01-01T00:00:00Z';
const message = { text: 'hi', origin: { kind: 'user' } };
const chat = 'host-chat:/a';
const summary = { resource: chat, title: 'a', status: 1, modifiedAt: now };
const summaryOptional = {
  activity: 'Reading',
  origin: { kind: 'user' },
  interactivity: 'read-only',
  workingDirectories: ['file:///a'],
  primaryWorkingDirectory: 'file:///a',
};
const position = { line: 0, character: 0 };
const range = { start: position, end: position };

describe('types of chats', () => {
  it('ChatSummary and ChatState have their members', () => {
    checkShape(ChatSummary, { required: summary, optional: summaryOptional });
    const turn = { id: 't', message, responseParts: [], state: 'complete' };
    checkShape(ChatState, {
      required: { ...summary, turns: [turn] },
      optional: {
        ...summaryOptional,
        turnsNextCursor: 'c',
        activeTurn: { id: 't', startedAt: now, message, responseParts: [] },
        steeringMessage: { id: 'p', message },
        queuedMessages: [{ id: 'q', message }],
        draft: message,
        _meta: { a: 1 },
      },
    });
  });

  it('Turn, ActiveTurn and PendingMessage have theirs', () => {
    checkShape(Turn, {
      required: { id: 't', message, responseParts: [], state: 'error' },
      optional: { startedAt: now, duration: 3, usage: { inputTokens: 1 }, error: { errorType: 'a', message: 'b' } },
    });
    refuses(Turn, { id: 't', message, responseParts: [], state: 'running' }, 'state');
    checkShape(ActiveTurn, {
      required: { id: 't', startedAt: now, message, responseParts: [] },
      optional: { usage: {} },
    });
    checkShape(PendingMessage, { required: { id: 'p', message } });
  });

  it('ChatOrigin is of four kinds', () => {
    checkShape(ChatOrigin, { required: { kind: 'user' } });
    checkShape(ChatOrigin, { required: { kind: 'fork', chat, turnId: 't' } });
    checkShape(ChatOrigin, {
      required: { kind: 'sideChat', chat, turnId: 't' },
      optional: { selection: { text: 'these words', responsePartId: 'm' } },
    });
    checkShape(ChatOrigin, { required: { kind: 'tool', chat, toolCallId: 'k' } });
    accepts(ChatOrigin, { kind: 'of-tomorrow' });
  });

  it('Message and its attachments have their members', () => {
    checkShape(Message, {
      required: message,
      optional: {
        attachments: [{ type: 'simple', label: 'a' }],
        model: { id: 'm' },
        agent: { uri: 'file:///a.md' },
        _meta: { a: 1 },
      },
    });
    const optional = { range, displayKind: 'image', _meta: { a: 1 } };
    const label = 'a';
    const of = (required: object, more: object = {}) =>
      checkShape(MessageAttachment, { required: { label, ...required }, optional: { ...optional, ...more } });
    of({ type: 'simple' }, { modelRepresentation: 'text' });
    of({ type: 'embeddedResource', data: 'AAAA', contentType: 'image/png' }, { selection: { range } });
    of(
      { type: 'resource', uri: 'file:///a' },
      { sizeHint: 3, contentType: 'text/plain', nonce: 'n', selection: { range } },
    );
    of({ type: 'annotations', resource: 'host-session:/1/annotations' }, { annotationIds: ['n'] });
    of({ type: 'chat', resource: chat }, { endTurn: 't' });
    accepts(MessageAttachment, { type: 'of-tomorrow' });
  });

  it('response parts are of six kinds', () => {
    const toolCall = { toolCallId: 'k', toolName: 'shell', displayName: 'Run', status: 'streaming' };
    checkShape(ResponsePart, { required: { kind: 'markdown', id: 'm', content: '' } });
    checkShape(ResponsePart, { required: { kind: 'reasoning', id: 'm', content: '' } });
    checkShape(ResponsePart, {
      required: { kind: 'contentRef', uri: 'file:///a' },
      optional: { sizeHint: 1, contentType: 'text/plain', nonce: 'n' },
    });
    checkShape(ResponsePart, { required: { kind: 'toolCall', toolCall } });
    checkShape(ResponsePart, {
      required: { kind: 'systemNotification', content: { markdown: '*a*' } },
      optional: { _meta: { a: 1 } },
    });
    checkShape(ResponsePart, {
      required: { kind: 'inputRequest', request: { id: 'q' } },
      optional: { response: 'decline' },
    });
    accepts(ResponsePart, { kind: 'of-tomorrow' });
  });
});

describe('types of input requests', () => {
  it('ChatInputRequest has its members', () => {
    checkShape(ChatInputRequest, {
      required: { id: 'q' },
      optional: {
        message: 'Who?',
        url: 'https://a.test',
        questions: [{ kind: 'boolean', id: 'b', message: 'Really?' }],
        answers: { b: { state: 'skipped' } },
      },
    });
  });

  it('questions are of six kinds', () => {
    const base = { id: 'a', message: 'Which?' };
    const more = { title: 'Choose', required: true };
    const option = { id: 'o', label: 'O', description: 'The o.', recommended: true };
    const of = (required: object, optional: object) =>
      checkShape(ChatInputQuestion, { required: { ...base, ...required }, optional: { ...more, ...optional } });
    of({ kind: 'text' }, { format: 'email', min: 1, max: 9, defaultValue: 'a' });
    of({ kind: 'number' }, { min: 0.5, max: 9, defaultValue: 1.5 });
    of({ kind: 'integer' }, { min: 1, max: 9, defaultValue: 2 });
    of({ kind: 'boolean' }, { defaultValue: true });
    of({ kind: 'single-select', options: [option] }, { allowFreeformInput: true });
    of({ kind: 'multi-select', options: [option] }, { allowFreeformInput: true, min: 1, max: 2 });
    refuses(ChatInputQuestion, { ...base, kind: 'single-select', options: [{ id: 'o' }] }, 'options');
    accepts(ChatInputQuestion, { kind: 'of-tomorrow' });
  });

  it('answers are drafts, submitted or skipped, with a value of five kinds', () => {
    const value = { kind: 'text', value: 'a' };
    checkShape(ChatInputAnswer, { required: { state: 'draft', value } });
    checkShape(ChatInputAnswer, { required: { state: 'submitted', value } });
    checkShape(ChatInputAnswer, { required: { state: 'skipped' }, optional: { freeformValues: ['b'] } });
    checkShape(ChatInputAnswerValue, { required: value });
    checkShape(ChatInputAnswerValue, { required: { kind: 'number', value: 1.5 } });
    checkShape(ChatInputAnswerValue, { required: { kind: 'boolean', value: false } });
    const optional = { freeformValues: ['b'] };
    checkShape(ChatInputAnswerValue, { required: { kind: 'selected', value: 'o' }, optional });
    checkShape(ChatInputAnswerValue, { required: { kind: 'selected-many', value: ['o'] }, optional });
  });
});
