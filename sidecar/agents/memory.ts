/**
 * Stores the conversations of one chat in the host's database, for an agent that has no storage. Each promise settles when the
 * change is on disk. Entries are JSON. The host does not interpret them, but removes the secrets that it knows.
 */
export interface ConversationMemory {
  /** Oldest first. */
  load(resumeId: string): readonly string[];
  /** @throws {Fault} `unavailable` if the disk cannot be written */
  append(resumeId: string, entry: string): Promise<void>;
  /** Adds the first entry. Removes the chat's earlier conversations, which cannot be resumed any more. @throws as above */
  begin(resumeId: string, entry: string): Promise<void>;
  /** @throws as above */
  replace(resumeId: string, entries: readonly string[]): Promise<void>;
}

/** A customization file with instructions for the agent. */
export interface Guidance {
  /** A rule applies to the whole session. A skill is read if its description fits the task. */
  readonly kind: 'rule' | 'skill';
  readonly name: string;
  readonly description?: string;
  /** Absolute. */
  readonly path: string;
  /** The files that a rule applies to. Absent: all files. */
  readonly globs?: readonly string[];
}
