import type { ChatSummary } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { visibleText } from '../../../../sidecar/protocol/visibleText.ts';
import type { Row, SubAgentLink, ToolRow } from '../../contract/chatModel.ts';
import { chatState } from './chatTabs.ts';

/** Adds to each tool call the sub-agent that it started, with the current state of its chat. Objects stay the same until something changes. */
export class SubAgentRows {
  readonly #made = new WeakMap<ToolRow, { readonly chat: ChatSummary; readonly row: ToolRow }>();

  /** @param shown the chat whose rows these are */
  rows(rows: readonly Row[], session: SessionState | undefined, shown: string | undefined): readonly Row[] {
    const started = new Map<string, ChatSummary>();
    for (const it of session?.chats ?? [])
      if (it.origin?.kind === 'tool' && it.origin.chat === shown) started.set(it.origin.toolCallId, it);
    return started.size === 0 ? rows : rows.map((row) => this.#linked(row, started));
  }

  #linked(row: Row, started: ReadonlyMap<string, ChatSummary>): Row {
    const chat = row.kind === 'tool' ? started.get(row.toolCallId) : undefined;
    if (row.kind !== 'tool' || !chat) return row;
    const known = this.#made.get(row);
    if (known?.chat === chat) return known.row;
    const subAgent: SubAgentLink = {
      ...row.subAgentUsage,
      chat: chat.resource,
      title: visibleText(chat.title),
      state: chatState(chat.status),
    };
    const made = { ...row, subAgent };
    this.#made.set(row, { chat, row: made });
    return made;
  }
}
