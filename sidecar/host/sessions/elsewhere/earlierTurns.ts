import type { EarlierTurn } from '../../../agents/conversations.ts';
import type { ToolContent, TurnEvent } from '../../../agents/provider.ts';
import type { ChatAction } from '../../../protocol/channels/chat/actions.ts';
import { finishedTurns } from '../../../protocol/channels/chat/finishedTurns.ts';
import type { Turn } from '../../../protocol/channels/chat/schema.ts';
import type { ToolResultContent } from '../../../protocol/channels/chat/toolCalls.ts';

/** How many turns are kept of a conversation, so that it fits into a chat: the newest ones. */
const MOST_TURNS = 500;
const MAX_TEXT = 64 * 1024;

/**
 * The turns of a chat from what an agent reports of an earlier conversation. Nothing is asked, run, or read. The output of a tool
 * is kept as text, up to 64 Ki characters.
 *
 * @param now when the conversation is continued here; agents do not report when a turn was
 */
export function earlierTurns(earlier: readonly EarlierTurn[], now: string, newId: () => string): Turn[] {
  const actions = earlier.slice(-MOST_TURNS).flatMap(({ text, events }): readonly ChatAction[] => {
    const turnId = newId();
    const known = new Set<string>();
    return [
      { type: 'chat/turnStarted', turnId, startedAt: now, message: { text, origin: { kind: 'user' } } },
      ...events.flatMap((event) => actionsOf(turnId, event, known)),
      { type: 'chat/turnComplete', turnId, duration: 0 },
    ];
  });
  return finishedTurns(actions, now);
}

/** @param known parts that the turn has already */
function actionsOf(turnId: string, event: TurnEvent, known: Set<string>): ChatAction[] {
  switch (event.kind) {
    case 'text':
    case 'reasoning': {
      const { kind, partId: id } = event;
      const content = event.text.slice(0, MAX_TEXT);
      const isNew = !known.has(`${kind} ${id}`);
      known.add(`${kind} ${id}`);
      const part = { kind: kind === 'text' ? 'markdown' : 'reasoning', id, content } as const;
      if (isNew) return [{ type: 'chat/responsePart', turnId, part }];
      return [{ type: kind === 'text' ? 'chat/delta' : 'chat/reasoning', turnId, partId: id, content }];
    }
    case 'notice':
    case 'stepStopped':
      return [
        {
          type: 'chat/responsePart',
          turnId,
          part: { kind: 'systemNotification', content: { markdown: event.markdown } },
        },
      ];
    case 'toolStarted': {
      const { toolCallId, toolName, displayName } = event;
      return [{ type: 'chat/toolCallStart', turnId, toolCallId, toolName, displayName }];
    }
    case 'toolRunning': {
      const { toolCallId, invocationMessage, toolInput } = event.facts;
      const input = toolInput === undefined ? {} : { toolInput };
      known.add(`running ${toolCallId}`);
      return [{ type: 'chat/toolCallReady', turnId, toolCallId, invocationMessage, ...input, confirmed: 'not-needed' }];
    }
    case 'toolEnded': {
      const { toolCallId, success, pastTenseMessage, error } = event;
      const ran = { toolCallId, invocationMessage: pastTenseMessage, confirmed: 'not-needed' } as const;
      const content = event.content.flatMap(toText);
      const result = { success, pastTenseMessage, content, ...(error !== undefined && { error: { message: error } }) };
      const isRunning = known.has(`running ${toolCallId}`);
      return [
        ...(isRunning ? [] : [{ type: 'chat/toolCallReady', turnId, ...ran } as const]),
        { type: 'chat/toolCallComplete', turnId, toolCallId, result },
      ];
    }
    case 'toolInput':
    case 'toolContent':
    case 'usage':
      return [];
  }
}

function toText(content: ToolContent): ToolResultContent[] {
  return content.kind === 'text' ? [{ type: 'text', text: content.text.slice(0, MAX_TEXT) }] : [];
}
