import * as z from 'zod';
import { parsedJson } from '../../platform/json.ts';
import type { AgentEvent } from './wire.ts';

const Kept = z.object({
  contextId: z.string().min(1).optional(),
  taskId: z.string().min(1).optional(),
  isPaused: z.boolean().optional(),
  pausedBy: z.string().optional(),
});
type Kept = z.infer<typeof Kept>;

/** The agent's ID of the conversation, and its task that has not ended. The host stores them as text. */
export class Conversation {
  #kept: Kept;

  /** @param resumeId from {@link Conversation.resumeId}; one of another format starts a new conversation */
  constructor(resumeId: string | undefined) {
    this.#kept = resumeId === undefined ? {} : (Kept.safeParse(parsedJson(resumeId)).data ?? {});
  }

  get contextId(): string | undefined {
    return this.#kept.contextId;
  }
  /** The task that a message continues. */
  get openTask(): string | undefined {
    return this.#kept.taskId;
  }
  /** The task, unless it waits for the user. */
  get runningTask(): string | undefined {
    return this.#kept.isPaused ? undefined : this.#kept.taskId;
  }
  /** The mark of the state in which the task waits for the user. */
  get pausedBy(): string | undefined {
    return this.#kept.pausedBy;
  }
  /** `undefined` until the agent has sent an ID of the conversation or of a task. */
  get resumeId(): string | undefined {
    const { contextId, taskId } = this.#kept;
    return contextId === undefined && taskId === undefined ? undefined : JSON.stringify(this.#kept);
  }

  note(event: AgentEvent): void {
    const contextId = (event.kind === 'message' ? event.message.contextId : event.contextId) ?? this.#kept.contextId;
    const context = contextId === undefined ? {} : { contextId };
    if (event.kind === 'message') {
      this.#kept = { ...this.#kept, ...context };
      return;
    }
    const state = event.kind === 'artifact' ? 'working' : event.status.state;
    const isEnded = state === 'completed' || state === 'canceled' || state === 'failed' || state === 'rejected';
    const isPaused = state === 'input-required' || state === 'auth-required';
    const mark = isPaused && event.kind !== 'artifact' ? event.status.mark : undefined;
    const open = { taskId: event.taskId, isPaused, ...(mark !== undefined && { pausedBy: mark }) };
    this.#kept = isEnded ? context : { ...context, ...open };
  }

  forgetTask(): void {
    const { contextId } = this.#kept;
    this.#kept = contextId === undefined ? {} : { contextId };
  }
}
