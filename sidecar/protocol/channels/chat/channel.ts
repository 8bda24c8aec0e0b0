import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { type ChatAction, chatActions } from './actions.ts';
import { reduceChat } from './reducer.ts';
import { ChatState } from './schema.ts';

export const chatChannel = defineChannel<'chat', ChatState, ChatAction>({
  kind: 'chat',
  scheme: schemes.chat,
  state: ChatState,
  actions: chatActions,
  reduce: reduceChat,
  clientMay: new Set<ChatAction['type']>([
    'chat/turnStarted',
    'chat/turnCancelled',
    'chat/isReadChanged',
    'chat/isArchivedChanged',
    'chat/workingDirectorySet',
    'chat/workingDirectoryRemoved',
    'chat/toolCallConfirmed',
    'chat/toolCallComplete',
    'chat/toolCallResultConfirmed',
    'chat/toolCallContentChanged',
    'chat/inputAnswerChanged',
    'chat/inputCompleted',
    'chat/truncated',
    'chat/pendingMessageSet',
    'chat/pendingMessageRemoved',
    'chat/queuedMessagesReordered',
    'chat/draftChanged',
  ]),
});
