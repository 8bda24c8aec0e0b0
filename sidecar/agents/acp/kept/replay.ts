import type { EarlierTurn } from '../../conversations.ts';
import type { TurnEvent } from '../../provider.ts';
import { ToolCalls } from '../toolCalls.ts';
import { SessionUpdate, UserMessage } from '../wire.ts';

interface Turn {
  text: string;
  readonly events: TurnEvent[];
  readonly tools: ToolCalls;
}

/** The turns of a conversation that an agent replays. Each begins with a message of the person. */
export class Replay {
  readonly #cwd: string;
  readonly #turns: Turn[] = [];
  #part = 0;
  #last: 'user' | 'text' | 'reasoning' | undefined;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  update(raw: unknown): void {
    const { data: message } = UserMessage.safeParse(raw);
    if (message) {
      if (this.#last !== 'user') this.#begin();
      this.#current.text += message.content.text ?? '';
      this.#last = 'user';
      return;
    }
    const { data: update } = SessionUpdate.safeParse(raw);
    switch (update?.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say('text', update.content.text);
      case 'agent_thought_chunk':
        return this.#say('reasoning', update.content.text);
      case 'tool_call':
      case 'tool_call_update': {
        const { events, tools } = this.#current;
        events.push(...tools.update(update));
        this.#last = undefined;
        return;
      }
      default:
        return; // the current state, which the agent reports again when it continues
    }
  }

  /** Oldest first. Tool calls that the agent left open are ended. */
  end(): readonly EarlierTurn[] {
    return this.#turns.map(({ text, events, tools }) => ({ text, events: [...events, ...tools.endAll()] }));
  }

  #say(kind: 'text' | 'reasoning', text: string | null | undefined): void {
    if (!text) return;
    if (this.#last !== kind) this.#part += 1;
    this.#current.events.push({ kind, partId: `part-${this.#part}`, text });
    this.#last = kind;
  }

  get #current(): Turn {
    return this.#turns.at(-1) ?? this.#begin();
  }

  #begin(): Turn {
    const turn: Turn = { text: '', events: [], tools: new ToolCalls(this.#cwd) };
    this.#turns.push(turn);
    return turn;
  }
}
