import { dispatchRow, notificationRow, type Row } from './row.ts';

const silence = { silence: true } as const;
const rejected = (reason: string) => ({ rejected: reason });
const user = { text: 'x', origin: { kind: 'user' } };
const session = ({ session }: { session: string }) => session;
const chat = ({ chat }: { chat: string }) => chat;
const foreign = ({ foreign }: { foreign: { chat: string } }) => foreign.chat;
const confirm = { type: 'chat/toolCallConfirmed', toolCallId: 'k', approved: true, confirmed: 'user-action' };

/** Actions that nobody may send, or not now, or not to that channel. */
export const dispatchRows: readonly Row[] = [
  notificationRow('a notification that nobody knows', 'setClientManagedSettingsPermissions', { anything: 1 }),
  notificationRow('an action without params', 'dispatchAction', {}),
  notificationRow('an action that is text', 'dispatchAction', { channel: 'host-root://', clientSeq: 1, action: 'x' }),
  notificationRow('a negative number', 'dispatchAction', {
    channel: 'host-root://',
    clientSeq: -1,
    action: { type: 'x' },
  }),
  notificationRow('a goodbye to nothing', 'unsubscribe', { channel: 'host-chat:/none' }),
  notificationRow('a goodbye without a channel', 'unsubscribe', {}),
  notificationRow('a window that is none', 'x-switchboard/windowChanged', { window: { trusted: 'yes' } }),
  dispatchRow(
    "the action's channel does not support actions",
    () => 'host-chat:/none',
    () => ({ type: 'chat/draftChanged' }),
    silence,
  ),
  dispatchRow(
    'an action for a channel of no kind',
    () => 'foo:bar',
    () => ({ type: 'chat/draftChanged' }),
    silence,
  ),
  dispatchRow(
    'an action of no type',
    chat,
    () => ({ type: 'chat/nonsense' }),
    rejected('clients must not dispatch this action: chat/nonsense'),
  ),
  dispatchRow(
    'an action of another channel',
    session,
    () => ({ type: 'chat/draftChanged' }),
    rejected('clients must not dispatch this action: chat/draftChanged'),
  ),
  dispatchRow(
    'an action of the host',
    chat,
    ({ finishedTurn }) => ({ type: 'chat/turnComplete', turnId: finishedTurn, duration: 1 }),
    rejected('clients must not dispatch this action: chat/turnComplete'),
  ),
  dispatchRow(
    'a member of Object for a type',
    chat,
    () => ({ type: 'toString' }),
    rejected('clients must not dispatch this action: toString'),
  ),
  dispatchRow(
    'a turn without a name',
    chat,
    () => ({ type: 'chat/turnStarted', turnId: '', message: user }),
    rejected('turnId: Too small: expected string to have >=1 characters'),
  ),
  dispatchRow(
    'a turn with half a character for a name',
    chat,
    () => ({ type: 'chat/turnStarted', turnId: '\ud800', message: user }),
    rejected('turnId: must have at most 1000 printable characters'),
  ),
  dispatchRow(
    'a message that waits under a name of two thousand characters',
    chat,
    () => ({ type: 'chat/pendingMessageSet', kind: 'queued', id: 'x'.repeat(2_000), message: user }),
    rejected('id: must have at most 1000 printable characters'),
  ),
  dispatchRow(
    'a turn without a message',
    chat,
    () => ({ type: 'chat/turnStarted', turnId: 't' }),
    rejected('message: Invalid input: expected object, received undefined'),
  ),
  dispatchRow(
    'a turn in the name of the agent',
    chat,
    () => ({ type: 'chat/turnStarted', turnId: 't', message: { text: 'x', origin: { kind: 'agent' } } }),
    rejected("message.origin.kind: must be 'user' in messages from clients"),
  ),
  dispatchRow(
    'a turn that ran',
    chat,
    ({ finishedTurn }) => ({ type: 'chat/turnStarted', turnId: finishedTurn, message: user }),
    rejected('this turn has already run'),
  ),
  dispatchRow(
    'a turn for a message that does not wait',
    chat,
    () => ({ type: 'chat/turnStarted', turnId: 't', message: user, queuedMessageId: 'none' }),
    rejected('queuedMessageId: message not found'),
  ),
  dispatchRow(
    'a second turn beside one that runs',
    foreign,
    () => ({ type: 'chat/turnStarted', turnId: 't', message: user }),
    rejected('a turn is already running'),
  ),
  dispatchRow(
    'the end of a turn that does not run',
    chat,
    ({ finishedTurn }) => ({ type: 'chat/turnCancelled', turnId: finishedTurn, duration: 0 }),
    rejected('this turn is not running'),
  ),
  dispatchRow(
    'a yes to a call of another turn',
    foreign,
    () => ({ ...confirm, turnId: 'other' }),
    rejected('this tool call is no longer waiting for confirmation'),
  ),
  dispatchRow(
    'a yes and a no at once',
    foreign,
    ({ foreign: { turn } }) => ({ ...confirm, turnId: turn, approved: 'maybe' }),
    rejected("approved: Invalid discriminator value. Expected 'true' | 'false'"),
  ),
  dispatchRow(
    'the result of a call of somebody else',
    foreign,
    ({ foreign: { turn } }) => ({
      type: 'chat/toolCallComplete',
      turnId: turn,
      toolCallId: 'k',
      result: { success: true, pastTenseMessage: 'Did' },
    }),
    rejected('this tool call belongs to another client'),
  ),
  dispatchRow(
    'an answer to no question',
    chat,
    () => ({ type: 'chat/inputCompleted', requestId: 'q', response: 'accept' }),
    rejected('no open question with this ID was found'),
  ),
  dispatchRow(
    'a history cut off at no turn',
    chat,
    () => ({ type: 'chat/truncated', turnId: 'none' }),
    rejected('turn not found'),
  ),
  dispatchRow(
    'a history cut off under a running turn',
    foreign,
    () => ({ type: 'chat/truncated' }),
    rejected('stop the running turn first'),
  ),
  dispatchRow(
    'a draft of a megabyte',
    chat,
    () => ({ type: 'chat/draftChanged', draft: { ...user, text: 'x'.repeat(1_100_000) } }),
    rejected('draft: must have at most 1048576 characters'),
  ),
  dispatchRow(
    'a message with a hundred and one attachments',
    chat,
    () => ({
      type: 'chat/turnStarted',
      turnId: 't',
      message: { ...user, attachments: Array.from({ length: 101 }, () => ({ type: 'simple', label: 'a' })) },
    }),
    rejected('message.attachments: must have at most 100 entries'),
  ),
  dispatchRow(
    'the tools of another client',
    session,
    () => ({ type: 'session/activeClientSet', activeClient: { clientId: 'c2', tools: [] } }),
    rejected('activeClient.clientId: must be your own client ID'),
  ),
  dispatchRow(
    'the leave of another client',
    session,
    () => ({ type: 'session/activeClientRemoved', clientId: 'c2' }),
    rejected('clientId: must be your own client ID'),
  ),
  dispatchRow(
    'a value of no setting',
    session,
    () => ({ type: 'session/configChanged', config: { a: 'b' } }),
    rejected('config.a: setting not found'),
  ),
  dispatchRow(
    'a title of blanks',
    session,
    () => ({ type: 'session/titleChanged', title: ' ' }),
    rejected('title: must not be empty'),
  ),
];
