import fc from 'fast-check';
import type { ChatAction } from '../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionAction, SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';

/** Few ids, so that actions meet; every action type of the channel can come. */
const turnId = fc.constantFrom('t1', 't2', 't3');
const toolCallId = fc.constantFrom('k1', 'k2');
const partId = fc.constantFrom('p1', 'p2');
const requestId = fc.constantFrom('q1', 'q2');
export const text = fc.constantFrom('', 'a', 'b\n');
const message = text.map((it) => ({ text: it, origin: { kind: 'user' } }));
const time = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
export const directory = fc.constantFrom('file:///a', 'file:///b');
const duration = fc.integer({ min: -5, max: 5 });
export const error = fc.constant({ errorType: 'provider', message: 'gone' });
export const maybe = <T>(it: fc.Arbitrary<T>) => fc.option(it, { nil: undefined });

type Model<A> = { readonly [K in keyof A]: fc.Arbitrary<A[K]> };
/** An action of `type` as it comes off the wire: members whose value comes out `undefined` are left out. */
export function action<A extends { type: string }>(
  model: { type: A['type'] } & Partial<Model<Omit<A, 'type'>>>,
): fc.Arbitrary<A> {
  const { type, ...members } = model;
  return fc
    .record(members as Record<string, fc.Arbitrary<unknown>>)
    .map((it) => JSON.parse(JSON.stringify({ type, ...it })) as A);
}
const chat = (type: ChatAction['type'], members: Record<string, fc.Arbitrary<unknown>> = {}) =>
  action<ChatAction>({ type, ...members } as never);
const session = (type: SessionAction['type'], members: Record<string, fc.Arbitrary<unknown>> = {}) =>
  action<SessionAction>({ type, ...members } as never);

const call = { turnId, toolCallId, _meta: maybe(fc.constant({ a: 1 })) };
const options = fc.constant([{ id: 'allow-once', label: 'Allow', kind: 'approve' }]);
const result = fc.boolean().map((success) => ({ success, pastTenseMessage: 'Ran' }));
const content = fc.constant([{ type: 'text', text: 'x' }]);
const answer = fc.constant({ state: 'draft', value: { kind: 'text', value: 'x' } });
const kind = fc.constantFrom('steering', 'queued');
const turn = turnId.chain((id) =>
  message.map((it) => ({ id: `old-${id}`, message: it, responseParts: [], state: 'complete' })),
);

export const chatAction: fc.Arbitrary<ChatAction> = fc.oneof(
  {
    weight: 6,
    arbitrary: chat('chat/turnStarted', { turnId, message, startedAt: maybe(time), queuedMessageId: maybe(requestId) }),
  },
  { weight: 3, arbitrary: chat('chat/delta', { turnId, partId, content: text }) },
  chat('chat/reasoning', { turnId, partId, content: text }),
  {
    weight: 3,
    arbitrary: chat('chat/responsePart', {
      turnId,
      part: fc.oneof(
        fc.record({ kind: fc.constantFrom('markdown', 'reasoning'), id: partId, content: text }),
        fc.constant({ kind: 'of-tomorrow' }),
      ),
    }),
  },
  chat('chat/usage', { turnId, usage: fc.constant({ inputTokens: 1 }) }),
  chat('chat/turnComplete', { turnId, duration }),
  chat('chat/turnCancelled', { turnId, duration: maybe(duration) }),
  chat('chat/error', { turnId, duration, error }),
  chat('chat/isReadChanged', { isRead: fc.boolean() }),
  chat('chat/isArchivedChanged', { isArchived: fc.boolean() }),
  chat('chat/activityChanged', { activity: maybe(text) }),
  chat('chat/workingDirectorySet', { directory }),
  chat('chat/workingDirectoryRemoved', { directory }),
  {
    weight: 4,
    arbitrary: chat('chat/toolCallStart', {
      ...call,
      toolName: fc.constant('shell'),
      displayName: fc.constant('Run'),
      contributor: maybe(fc.constant({ kind: 'mcp', customizationId: 'm' })),
    }),
  },
  chat('chat/toolCallDelta', { ...call, content: text }),
  {
    weight: 3,
    arbitrary: chat('chat/toolCallReady', {
      ...call,
      invocationMessage: text,
      toolInput: maybe(text),
      confirmed: maybe(fc.constant('not-needed')),
      options: maybe(options),
    }),
  },
  {
    weight: 2,
    arbitrary: chat('chat/toolCallConfirmed', {
      ...call,
      approved: fc.constant(true),
      confirmed: fc.constant('user-action'),
    }),
  },
  chat('chat/toolCallConfirmed', { ...call, approved: fc.constant(false), reason: fc.constant('denied') }),
  {
    weight: 2,
    arbitrary: chat('chat/toolCallComplete', { ...call, result, requiresResultConfirmation: maybe(fc.boolean()) }),
  },
  chat('chat/toolCallResultConfirmed', { ...call, approved: fc.boolean() }),
  chat('chat/toolCallContentChanged', { ...call, content }),
  chat('chat/toolCallAuthRequired', {
    ...call,
    auth: fc.constant({ reason: 'required', resource: { resource: 'https://x' } }),
  }),
  chat('chat/toolCallAuthResolved', call),
  { weight: 2, arbitrary: chat('chat/inputRequested', { request: fc.record({ id: requestId }) }) },
  chat('chat/inputAnswerChanged', { requestId, questionId: partId, answer: maybe(answer) }),
  chat('chat/inputCompleted', {
    requestId,
    response: fc.constantFrom('accept', 'decline', 'cancel'),
    answers: maybe(fc.constant({ p1: { state: 'skipped' } })),
  }),
  chat('chat/truncated', { turnId: maybe(turnId) }),
  chat('chat/turnsLoaded', { turns: fc.array(turn, { maxLength: 2 }), turnsNextCursor: maybe(text) }),
  chat('chat/pendingMessageSet', { kind, id: requestId, message }),
  chat('chat/pendingMessageRemoved', { kind, id: requestId }),
  chat('chat/queuedMessagesReordered', { order: fc.array(requestId) }),
  chat('chat/draftChanged', { draft: maybe(message) }),
);

const chatUri = fc.constantFrom('host-chat:/a', 'host-chat:/b');
const status = fc.constantFrom(1, 2, 8, 24, 33, 72);
const id = fc.constantFrom('x', 'y');
const summary = fc.record({ resource: chatUri, title: text, status, modifiedAt: time });
const server = fc.constantFrom({ kind: 'ready' }, { kind: 'stopped' });
const customization = fc.oneof(
  fc.record({
    type: fc.constant('plugin'),
    id,
    uri: directory,
    name: text,
    enabled: fc.boolean(),
    children: fc.array(fc.record({ type: fc.constant('skill'), id, uri: directory, name: text }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('mcpServer'), id, uri: directory, name: text, enabled: fc.boolean(), state: server }),
);

export const sessionAction: fc.Arbitrary<SessionAction> = fc.oneof(
  session('session/ready'),
  session('session/creationFailed', { error }),
  { weight: 3, arbitrary: session('session/chatAdded', { summary }) },
  session('session/chatRemoved', { chat: chatUri }),
  {
    weight: 3,
    arbitrary: session('session/chatUpdated', {
      chat: chatUri,
      changes: fc.oneof(
        fc.record({ status, modifiedAt: time }),
        fc.constantFrom({ activity: 'x' }, { activity: null }),
      ),
    }),
  },
  session('session/defaultChatChanged', { defaultChat: maybe(chatUri) }),
  session('session/titleChanged', { title: text }),
  session('session/isReadChanged', { isRead: fc.boolean() }),
  session('session/isArchivedChanged', { isArchived: fc.boolean() }),
  session('session/activityChanged', { activity: maybe(text) }),
  session('session/changesetsChanged', { changesets: maybe(fc.constant([])) }),
  session('session/serverToolsChanged', { tools: fc.constant([]) }),
  session('session/activeClientSet', { activeClient: fc.record({ clientId: id, tools: fc.constant([]) }) }),
  session('session/activeClientRemoved', { clientId: id }),
  session('session/workingDirectorySet', { directory }),
  session('session/workingDirectoryRemoved', { directory }),
  {
    weight: 2,
    arbitrary: session('session/inputNeededSet', {
      request: fc.record({ kind: fc.constant('chatInput'), id, chat: chatUri, request: fc.record({ id: requestId }) }),
    }),
  },
  session('session/inputNeededRemoved', { id }),
  session('session/customizationsChanged', { customizations: fc.array(customization, { maxLength: 2 }) }),
  session('session/customizationToggled', { id, enabled: fc.boolean() }),
  session('session/customizationUpdated', { customization }),
  session('session/customizationRemoved', { id }),
  session('session/mcpServerStateChanged', { id, state: server, channel: maybe(fc.constant('mcp://m')) }),
  session('session/mcpServerStartRequested', { id }),
  session('session/mcpServerStopRequested', { id }),
  session('session/configChanged', { config: fc.dictionary(id, fc.integer()), replace: maybe(fc.boolean()) }),
  session('session/metaChanged', { _meta: maybe(fc.constant({ a: 1 })) }),
);

export const emptyChat: ChatState = {
  resource: 'host-chat:/a',
  title: 'a',
  status: 1,
  modifiedAt: '2025-12-31T00:00:00Z',
  turns: [],
};
export const emptySession: SessionState = {
  provider: 'p',
  title: 's',
  status: 1,
  lifecycle: 'creating',
  activeClients: [],
  chats: [],
  config: { schema: { type: 'object', properties: {} }, values: {} },
};
