import type { Turn } from '../../../protocol/channels/chat/schema.ts';

/** What a session that goes on with a conversation of its agent begins with. */
export interface BegunElsewhere {
  readonly title: string;
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** With which the agent goes on. */
  readonly resumeId: string;
  /** Of the session. */
  readonly meta?: Readonly<Record<string, unknown>>;
}
