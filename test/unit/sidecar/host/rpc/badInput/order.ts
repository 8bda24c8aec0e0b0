import { toFrame } from '../../../../../support/host/toFrame.ts';
import { notificationRow, type Row, requestRow } from './row.ts';

const ROOT = 'host-root://';
const notYet = (method: string) => ({ code: -32601, message: `method not allowed before the handshake: ${method}` });
const hello = { channel: ROOT, protocolVersions: ['0.7.0'], clientId: 'c1' };
const fresh = { fresh: true } as const;

/** What comes too early, or again. */
export const orderRows: readonly Row[] = [
  requestRow('a list before the handshake', 'listSessions', () => ({}), notYet('listSessions'), fresh),
  requestRow(
    'a subscription before it',
    'subscribe',
    ({ session }) => ({ channel: session }),
    notYet('subscribe'),
    fresh,
  ),
  requestRow('malformed params before it', 'createSession', () => ({}), notYet('createSession'), fresh),
  requestRow(
    'an editor question before it',
    'x-switchboard/processes',
    () => ({}),
    notYet('x-switchboard/processes'),
    fresh,
  ),
  notificationRow(
    'an action before it',
    'dispatchAction',
    { channel: ROOT, clientSeq: 1, action: { type: 'x' } },
    fresh,
  ),
  notificationRow('a goodbye to a channel before it', 'unsubscribe', { channel: ROOT }, fresh),
  requestRow('a second handshake', 'initialize', () => hello, {
    code: -32602,
    message: 'the handshake was already completed',
  }),
  requestRow(
    'coming back on a connection that is there',
    'reconnect',
    () => ({ channel: ROOT, clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [] }),
    { code: -32602, message: 'the handshake was already completed' },
  ),
  requestRow(
    'coming back as a client that nobody met',
    'reconnect',
    () => ({ channel: ROOT, clientId: 'nobody', lastSeenServerSeq: 0, subscriptions: [] }),
    { code: -32008, message: 'unknown client; send initialize first' },
    fresh,
  ),
  requestRow(
    'versions that do not fit',
    'initialize',
    () => ({ ...hello, protocolVersions: ['0.9.0', '1.0.0'] }),
    { code: -32005, message: 'this host supports version 0.7', data: { supportedVersions: ['^0.7.0'] } },
    { fresh: true, closes: true },
  ),
  requestRow(
    'no version at all',
    'initialize',
    () => ({ ...hello, protocolVersions: [] }),
    {
      code: -32602,
      message: 'invalid params for initialize: protocolVersions: Too small: expected array to have >=1 items',
    },
    fresh,
  ),
  requestRow(
    'a handshake without a name',
    'initialize',
    () => ({ ...hello, clientId: undefined }),
    {
      code: -32602,
      message: 'invalid params for initialize: clientId: Invalid input: expected string, received undefined',
    },
    fresh,
  ),
  {
    says: 'an id that is in use',
    bytes: ({ chat }) =>
      toFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'fetchTurns', params: { channel: chat } })) +
      toFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })),
    outcome: { error: { id: 1, code: -32600, message: 'id is already in use' } },
  },
];
