import type { ChatSummary } from './channels/chat/schema.ts';
import type { SessionState } from './channels/session/schema.ts';
import { setOrClear } from './collections.ts';
import { activityOf, status, withActivity } from './status.ts';

/**
 * Gives a session what no action carries: its activity bits and its activity, from its chats
 * (`host.summary.activity-bits`, `host.summary.activity` and their neighbours). Host and mirror run it after every
 * session reduce, and the host on every state that it loads. Flags stay. Pure; returns `state` itself when it is
 * settled already.
 *
 * Beyond these rules: a session whose creation failed counts as in error, since a summary has no lifecycle. A sub-agent's chat in
 * error does not count: its report reaches the chat that started it, and nobody can send it a message that ends the error.
 */
export function settleSession(state: SessionState): SessionState {
  const { bits, chat } = drivingActivity(state);
  const settled = setOrClear(state, 'status', withActivity(state.status, bits));
  return chat ? setOrClear(settled, 'activity', chat.activity) : settled;
}

/** The bits, and the chat that they come from. InputNeeded beats Error beats the default chat's own. */
function drivingActivity(state: SessionState): { readonly bits: number; readonly chat?: ChatSummary } {
  const chats = newestFirst(state.chats);
  const usual = state.chats.find((it) => it.resource === state.defaultChat) ?? chats[0];
  const [asking] = state.inputNeeded ?? [];
  if (asking) {
    const chat = inActivity(status.InputNeeded) ?? state.chats.find((it) => it.resource === asking.chat) ?? usual;
    return { bits: status.InputNeeded, ...(chat && { chat }) };
  }
  for (const bits of [status.InputNeeded, status.Error]) {
    const chat = inActivity(bits);
    if (chat) return { bits, chat };
  }
  const bits = state.lifecycle === 'creationFailed' ? status.Error : usual ? activityOf(usual.status) : status.Idle;
  return { bits, ...(usual && { chat: usual }) };

  function inActivity(bits: number): ChatSummary | undefined {
    return [usual, ...chats].find(
      (it) => it && activityOf(it.status) === bits && !(bits === status.Error && it.origin?.kind === 'tool'),
    );
  }
}

function newestFirst(chats: readonly ChatSummary[]): readonly ChatSummary[] {
  if (chats.length < 2) return chats;
  return chats.toSorted((a, b) => Date.parse(b.modifiedAt) - Date.parse(a.modifiedAt));
}
