import { type Row, requestRow } from './row.ts';

const bad = (method: string, why: string) => ({ code: -32602, message: `invalid params for ${method}: ${why}` });
const wanted = (type: string, got: string) => `Invalid input: expected ${type}, received ${got}`;

/** Params that break the schema of their method, or that name what is not there. */
export const paramRows: readonly Row[] = [
  requestRow('an unknown method', 'session/create', () => ({}), {
    code: -32601,
    message: 'unknown method: session/create',
  }),
  requestRow('a member of Object for a method', 'constructor', () => ({}), {
    code: -32601,
    message: 'unknown method: constructor',
  }),
  requestRow('a list for params', 'subscribe', () => [], bad('subscribe', wanted('object', 'array'))),
  requestRow('no channel', 'subscribe', () => ({}), bad('subscribe', `channel: ${wanted('string', 'undefined')}`)),
  requestRow(
    'an empty channel',
    'subscribe',
    () => ({ channel: '' }),
    bad('subscribe', 'channel: Too small: expected string to have >=1 characters'),
  ),
  requestRow(
    'a fraction of a turn',
    'subscribe',
    ({ chat }) => ({ channel: chat, view: { turns: 1.5 } }),
    bad('subscribe', 'view.turns: Invalid input: expected int, received number'),
  ),
  requestRow(
    'a page of no sessions',
    'listSessions',
    () => ({ limit: 0 }),
    bad('listSessions', 'limit: Too small: expected number to be >0'),
  ),
  requestRow('a cursor of another connection', 'listSessions', () => ({ cursor: 'x' }), {
    code: -32602,
    message: 'cursor: unknown or expired',
  }),
  requestRow('a cursor that no page gave', 'fetchTurns', ({ chat }) => ({ channel: chat, cursor: 't99' }), {
    code: -32602,
    message: 'cursor: unknown or expired',
  }),
  requestRow('a channel of no kind', 'subscribe', () => ({ channel: 'foo:bar' }), {
    code: -32001,
    message: 'channel not found',
  }),
  requestRow('a session that is not there', 'subscribe', ({ session }) => ({ channel: `${session}0` }), {
    code: -32001,
    message: 'channel not found',
  }),
  requestRow('the end of a session that is not there', 'disposeSession', () => ({ channel: 'host-session:/none' }), {
    code: -32001,
    message: 'session not found',
  }),
  requestRow('the end of a chat that is not there', 'disposeChat', () => ({ channel: 'host-chat:/none' }), {
    code: -32001,
    message: 'chat not found',
  }),
  requestRow('the end of a default chat', 'disposeChat', ({ chat }) => ({ channel: chat }), {
    code: -32602,
    message: 'channel: the default chat cannot be disposed of; dispose of its session instead',
  }),
  requestRow('a session under the name of another', 'createSession', ({ foreign }) => ({ channel: foreign.session }), {
    code: -32003,
    message: 'the session already exists',
  }),
  requestRow('a session under the name of a chat', 'createSession', () => ({ channel: 'host-chat:/new' }), {
    code: -32602,
    message: 'channel: not a session URI',
  }),
  requestRow(
    'a session with half a character in its name',
    'createSession',
    () => ({ channel: 'host-session:/\ud800' }),
    {
      code: -32602,
      message: 'channel: not a session URI',
    },
  ),
  requestRow('a file with no character in its name', 'resourceRead', () => ({ uri: 'file:///a%00b' }), {
    code: -32602,
    message: 'uri: not a file path',
  }),
  requestRow(
    'a session of an agent that is not there',
    'createSession',
    () => ({ channel: 'host-session:/new', provider: 'none' }),
    { code: -32002, message: 'agent not found' },
  ),
  requestRow(
    'the tools of somebody else',
    'createSession',
    () => ({ channel: 'host-session:/new', activeClient: { clientId: 'c2', tools: [] } }),
    { code: -32602, message: 'activeClient.clientId: must be your own client ID' },
  ),
  requestRow(
    'folders that are no list',
    'createSession',
    () => ({ channel: 'host-session:/new', workingDirectories: 'file:///' }),
    bad('createSession', `workingDirectories: ${wanted('array', 'string')}`),
  ),
  requestRow(
    'a chat that belongs to another session',
    'createChat',
    ({ session, foreign }) => ({ channel: session, chat: foreign.chat }),
    { code: -32010, message: 'the chat belongs to another session' },
  ),
  requestRow(
    'a chat in a folder of no session',
    'createChat',
    ({ session }) => ({ channel: session, chat: 'host-chat:/new', workingDirectories: ['file:///elsewhere'] }),
    { code: -32602, message: "workingDirectories: must be among the session's folders" },
  ),
  requestRow(
    'a cursor behind the text',
    'completions',
    ({ chat }) => ({ channel: chat, kind: 'userMessage', text: 'ab', offset: 3 }),
    {
      code: -32602,
      message: 'invalid params for completions: offset: is past the end of text (in UTF-16 code units)',
    },
  ),
  requestRow(
    'completions of another kind',
    'completions',
    ({ chat }) => ({ channel: chat, kind: 'search', text: '', offset: 0 }),
    bad('completions', 'kind: Invalid input: expected "userMessage"'),
  ),
  requestRow('values of no setting', 'sessionConfigCompletions', () => ({ property: '__proto__' }), {
    code: -32602,
    message: 'property: setting not found',
  }),
  requestRow('a token for nobody', 'authenticate', () => ({ resource: 'https://x.test', token: 't' }), {
    code: -32602,
    message: 'resource: no agent or MCP server requires a token for this resource',
  }),
  requestRow('content that is not there', 'resourceRead', () => ({ uri: `host-content:/${'0'.repeat(64)}/a` }), {
    code: -32006,
    message: 'content not found',
  }),
];
