/** A task that an agent gives to a sub-agent. @see TurnHost.delegate */
export interface DelegatedTask {
  readonly toolCallId: string;
  /** A few words for a person. */
  readonly title: string;
  /** The whole message to the sub-agent. */
  readonly text: string;
  readonly model: string;
}

export interface DelegatedReport {
  /** `stopped`: a person stopped the sub-agent. */
  readonly outcome: 'complete' | 'stopped' | 'failed';
  /** What it wrote after its last tool call. */
  readonly text: string;
  /** Why it failed, for a person. */
  readonly error?: string;
}
