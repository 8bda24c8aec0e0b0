import { createHash } from 'node:crypto';
import * as z from 'zod';
import { parsedJson } from '../../platform/json.ts';
import type { CloudMeta } from '../../protocol/channels/session/cloudMeta.ts';
import type { CloudAgent, CloudMessage } from './wire.ts';

const Kept = z.object({
  agentId: z.string().min(1).optional(),
  lastMessage: z.string().min(1).optional(),
  /** Hash of a prompt of this chat that the conversation did not show yet. */
  sent: z.string().optional(),
});
type Kept = z.infer<typeof Kept>;

/** The agent that a chat follows, and how much of its conversation the chat shows. The host stores it as text. */
export class CloudConversation {
  #kept: Kept;
  #meta: CloudMeta | undefined;

  /** @param resumeId from {@link CloudConversation.resumeId}; one of another format starts a new conversation */
  constructor(resumeId: string | undefined) {
    this.#kept = resumeId === undefined ? {} : (Kept.safeParse(parsedJson(resumeId)).data ?? {});
  }

  get agentId(): string | undefined {
    return this.#kept.agentId;
  }
  /** `undefined` before an agent was launched or opened. */
  get resumeId(): string | undefined {
    return this.#meta === undefined && this.#kept.agentId === undefined ? undefined : JSON.stringify(this.#kept);
  }
  /** The same object until the service says something else. */
  get meta(): CloudMeta | undefined {
    return this.#meta;
  }

  follow(agent: CloudAgent): void {
    const { id, name: _name, summary: _summary, ...meta } = agent;
    const { agentId, sent } = this.#kept;
    if (id !== agentId) this.#kept = { agentId: id, ...(agentId === undefined && sent !== undefined && { sent }) };
    if (JSON.stringify(meta) !== JSON.stringify(this.#meta)) this.#meta = meta;
  }

  /** The agent was deleted. The next message starts another one. */
  forget(): void {
    this.#kept = {};
    this.#meta = { status: 'DELETED' };
  }

  /** The messages that the chat does not show yet. All of them, if the last one that it shows was removed. */
  unseen(messages: readonly CloudMessage[]): readonly CloudMessage[] {
    return messages.slice(messages.findIndex(({ id }) => id === this.#kept.lastMessage) + 1);
  }
  /** @returns whether it is the prompt that this chat sent, which it shows already */
  saw({ id, isUser, text }: CloudMessage): boolean {
    const { sent, ...others } = this.#kept;
    const isOwn = isUser && sent === hashOf(text);
    this.#kept = { ...others, lastMessage: id, ...(!isOwn && sent !== undefined && { sent }) };
    return isOwn;
  }
  /** Called before a prompt is sent, so that it is recognized even if the host is killed then. */
  sends(prompt: string): void {
    this.#kept = { ...this.#kept, sent: hashOf(prompt) };
  }
}

/** The agent that a chat follows. */
export const agentIdIn = (resumeId: string): string | undefined => Kept.safeParse(parsedJson(resumeId)).data?.agentId;

/** For a chat that shows all messages of an agent so far. */
export const resumeIdFor = (agentId: string, lastMessage: string | undefined): string =>
  JSON.stringify({ agentId, ...(lastMessage !== undefined && { lastMessage }) } satisfies Kept);

const hashOf = (text: string): string => createHash('sha256').update(text.trim()).digest('hex');
