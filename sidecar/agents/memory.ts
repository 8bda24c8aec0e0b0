/**
 * What an agent without a process of its own keeps of the conversation of one chat, in the host's database. Each promise
 * settles when the change is on disk. The host keeps entries as they are.
 */
export interface ConversationMemory {
  /** Oldest first. */
  load(resumeId: string): readonly string[];
  /** @throws {Fault} `unavailable` if the disk refused */
  append(resumeId: string, entry: string): Promise<void>;
  /** Adds the first entry, and removes those of the chat's other conversations, to which nobody returns. @throws as above */
  begin(resumeId: string, entry: string): Promise<void>;
  /** @throws as above */
  replace(resumeId: string, entries: readonly string[]): Promise<void>;
}

/** A file of the session's customizations that tells an agent how to work. */
export interface Guidance {
  /** A rule holds for the whole session. A skill is read once its description fits the task. */
  readonly kind: 'rule' | 'skill';
  readonly name: string;
  readonly description?: string;
  /** Absolute. */
  readonly path: string;
  /** A rule about certain files only. */
  readonly globs?: readonly string[];
}
