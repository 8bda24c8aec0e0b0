import { sendMessage, sendPrompt } from '../chatPrompts.ts';
import { stepWord } from '../chatRows.ts';
import type { ChatTurnsDeps } from './chatTurnsModule.ts';

/** Starts a turn again with what it was sent with, or with the word that its agent gave for that. */
export async function again(deps: Pick<ChatTurnsDeps, 'chat'>, turnId: string): Promise<void> {
  const turn = turnOf(deps, turnId);
  const word = turn && stepWord(turn, 'retryWith');
  if (word !== undefined) await sendWord(deps, word);
  else if (turn) await sendMessage(deps.chat, turn.message, 'send');
}

/** Continues after the step at which a turn failed or stopped, with the word that its agent gave for that. */
export async function skipStep(deps: Pick<ChatTurnsDeps, 'chat'>, turnId: string): Promise<void> {
  const turn = turnOf(deps, turnId);
  const word = turn && stepWord(turn, 'skipWith');
  if (word !== undefined) await sendWord(deps, word);
}

const turnOf = ({ chat }: Pick<ChatTurnsDeps, 'chat'>, turnId: string) =>
  chat.chat?.turns.find((it) => it.id === turnId);

/** Keeps what is written in the composer. */
async function sendWord({ chat }: Pick<ChatTurnsDeps, 'chat'>, word: string): Promise<void> {
  if (await sendPrompt(chat, word, 'send')) chat.composed.save();
}
