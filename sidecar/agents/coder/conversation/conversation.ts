import type { ConversationMemory } from '../../memory.ts';
import { Entry } from './entries.ts';

/** A conversation with a model. An entry is on disk before the agent continues. */
export class Conversation {
  readonly #memory: ConversationMemory | undefined;
  readonly #id: string;
  #entries: Entry[];

  /** @param memory absent: the conversation is not stored */
  constructor(id: string, memory?: ConversationMemory) {
    this.#id = id;
    this.#memory = memory;
    this.#entries = (memory?.load(id) ?? []).map((it) => Entry.parse(JSON.parse(it)));
  }

  /** Oldest first. The same array until the entries are replaced: it grows with each entry that is added. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** @throws {Fault} `unavailable` if the entry could not be stored */
  async add(entry: Entry): Promise<void> {
    const text = JSON.stringify(entry);
    if (this.#entries.length === 0) await this.#memory?.begin(this.#id, text);
    else await this.#memory?.append(this.#id, text);
    this.#entries.push(entry);
  }

  /** @throws {Fault} as above */
  async replace(entries: readonly Entry[]): Promise<void> {
    await this.#memory?.replace(
      this.#id,
      entries.map((it) => JSON.stringify(it)),
    );
    this.#entries = [...entries];
  }
}
